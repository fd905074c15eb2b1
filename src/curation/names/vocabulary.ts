// The words that the heuristics know. Each table is data: a better name is usually one more word here.

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** A map, since words like `constructor` are keys of every object. */
function entries(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table));
}

/** Verbs in their base form. */
export const VERBS = words(`
  accept access acquire act activate add adjust aggregate align allow analyse analyze announce append apply approve archive arrange ask assemble
  assert assign associate attach authenticate authorize backup batch bind block book branch browse build bundle buy cache calculate call cancel
  capitalize capture cast categorize chain change chat check choose chunk clamp classify clean clear click clone close collapse collect combine
  commit compact compare comment compile complete compose compress compute concat concatenate configure confirm connect construct consume contact
  convert copy correct count crawl create crop curry cut debounce debug decode decompress decrease decrement decrypt deduplicate deep
  define delay delegate delete deliver deploy deposit derive describe deserialize destroy detach detect determine diff disable discard discover
  dispatch display divide divorce do download draft drain draw drop dump duplicate edit emit enable encode encrypt end enforce enqueue ensure
  enter enumerate erase escape establish estimate evaluate examine exchange exclude exec execute expand explain explore export extend extract
  fail fetch fill filter find finish fire fix flatten flip flush fold follow force forecast fork format forward freeze gather generate get give
  go grant grep group guard handle hash help hide highlight hydrate identify ignore implement import improve include increase increment
  index infer inform initialize inject insert inspect install instantiate intersect interpolate invalidate invert invite invoke issue iterate
  join jump keep kill label launch lift limit link list listen load locate lock log login look lookup lower make manage map mark mask match
  max measure memoize mention merge migrate min minify mirror mock modify monitor move multiply mutate name navigate negate normalize notify
  obfuscate observe obtain omit open optimize order organize output override pack pad paginate paint parse partition pass paste patch pause pay perform
  persist pick ping pipe place plan play plot pluck poll pop populate post prefetch prepare prepend preserve press preview print process produce
  profile project promote prompt prove provide provision proxy prune publish pull purchase purge push put query queue quote raise randomize rank read rearrange
  rebuild recalculate receive recommend recompute reconcile reconnect record recover recreate redirect reduce refactor refine reformat
  refresh register reject relate release reload remove rename render reopen reorder repair repeat replace replay reply report represent request
  require resample reserve reset resize resolve respond restart restore restrict resume retrieve retry retweet return reverse revert review revoke rewrite
  roll rotate round route run sample sanitize save scale scan schedule score scrape scroll search see seek select sell send separate serialize serve set
  share shift show shuffle shut sign signal simplify simulate skip slice snapshot sort split spread stage start stash stop store stream stringify
  strip submit subscribe substitute subtract suggest sum summarise summarize suppress suspend swap switch sync synchronize tag take tail tap tweet
  test throttle throw tokenize toggle trace track train transfer transform translate transpose traverse trigger trim truncate try turn type
  unbind uncompress undo unescape unfold unify uninstall unique unlock unmount unpack unquote unset unsubscribe unwrap unzip update upgrade upload
  upsert use validate verify view visit wait walk warn watch withdraw wrap write yield zip
`);

/** Irregular verb forms with their base form. */
export const IRREGULAR: ReadonlyMap<string, string> = entries({
  built: 'build',
  does: 'do',
  found: 'find',
  gave: 'give',
  goes: 'go',
  got: 'get',
  kept: 'keep',
  made: 'make',
  read: 'read',
  ran: 'run',
  sent: 'send',
  taken: 'take',
  took: 'take',
  written: 'write',
  wrote: 'write',
});

/** Words that carry no meaning in a name. */
export const STOP_WORDS = words(`
  a an the this that these those its it his her their our your my me i you we us one ones some any each every all both either other others another
  such same very just also only so too then than as is are was were be been being am do does did has have had having can could will would shall
  should may might must there here which who whom whose what when where why how if whether and or but nor not no yes please while
  etc eg ie e.g i.e via per within without across along among amongst through throughout during before after since until upon about above below
  him he she them they everything something anything nothing someone anyone everyone anymore however therefore furthermore additionally
  lastly actually ll ve re don doesn didn isn won let lets thanks thank hey oh well really quite rather etc
  of in on at by for from to into onto with over under between against out up off down back again once already still yet ever never always
`);

/** Adjectives that tell nothing about the thing. */
export const FILLERS = words(`
  certain particular specific respective corresponding associated related following current existing available
  new own single simple basic various several multiple many few more most less least whole entire full complete overall actual original
  appropriate suitable proper necessary needed required optional possible desired requested expected resulting custom customized
  relevant different similar individual internal underlying general generic special regular usual normal local
  shallow plain two three four minimal best exact raw own additional remaining together
`);

/** Words that mark a noun as a mere reference to an argument: `the given date`. */
export const REFERRING = words('given specified provided supplied passed input received incoming');

/** Nouns of programming that a name leaves out: `sort` says as much as `sort array`. */
export const GENERIC_NOUNS = words(`
  value values element elements item items thing things object objects array arrays list lists string strings number numbers amount
  function functions method methods func fn predicate callback iteratee argument arguments arg args parameter parameters instance instances
  result results output outputs input inputs collection collections version kind middleware wrapper helper utility utilities representation
`);

/** Nouns that a name needs only if there is no other. */
export const VAGUE_NOUNS = words(`
  data information info content contents file files text set part parts way form details
`);

/** Words that begin a phrase about the thing named before. */
export const PREPOSITIONS = words(`
  of in on at by for from to into onto with via per within without across along among through throughout during before after since until upon about
  above below over under between against using based according such that which whose when where while if so as unless except including
  excluding but and or than then after like towards up out off
`);

/** Articles and the like, which follow a verb more often than a noun. */
export const DETERMINERS = words(
  'a an the this that these those its their your my our all each every any both one two some',
);

/** Verbs that say only that there is a result. */
export const WEAK_VERBS = words(
  'return give produce yield compute calculate perform do make provide represent use act take accept',
);

/** The verb that names use, by the verb that sentences use. */
export const USUAL_VERBS: ReadonlyMap<string, string> = entries({
  determine: 'get',
  iterate: 'for-each',
  loop: 'for-each',
  obtain: 'get',
  retrieve: 'get',
});

/** Participles that only link words. */
export const LINKING = words(`
  based using given including containing according following starting matching called returned calling returning being having excluding specified
  provided supplied passed composed resulting existing corresponding related required expected consisting comprising making taking
  ending beginning applying leading trailing running generated created used needed known named
`);

/** Names of products and formats whose inner capitals do not separate words. */
export const BRANDS =
  /\b(?:OAuth|GitHub|GitLab|BitBucket|JavaScript|TypeScript|PostgreSQL|MySQL|MongoDB|DynamoDB|YouTube|LinkedIn|WhatsApp|PayPal|OpenAI|ChatGPT|GraphQL|IPv[46]|macOS|iOS|NaN|WordPress|DuckDuckGo|HubSpot|BigQuery|CloudFlare)/gi;
