/** Words that say nothing about what a tool does. In intents and descriptions alike they are not counted. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being between both but by can could did do
  does doing don down each few for from had has have having he her here hers him his how i if in into is it its itself just
  me more most my no nor not now of off on once only or other our ours out over own same she should so some such than that
  the their theirs them then there these they this those through to too under until up upon us very was we were what when
  where which while who whom why will with would you your yours`.split(/\s+/),
);

/**
 * Words with which people ask, whatever they ask for: "Could you please help me, I would like to know …". They are not
 * counted in intents; in descriptions they may matter.
 */
export const ASKING_WORDS: ReadonlySet<string> = new Set(
  `additionally ask assist assistance curious currently enthusiast finally furthermore give help interested know let like
  lastly looking love moreover need please planning provide recently tell thank thanks try trying use using want wanted
  wants way well wish wondering yes hello hi hey ok okay sure kindly m ll ve re s d t myself yourself able possible
  something anything would'd include including along based various`.split(/\s+/),
);
