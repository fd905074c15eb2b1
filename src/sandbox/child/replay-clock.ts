/**
 * Runs in the context of a replayed program before its code. The clock stands still but for timers, and chance is the same for every
 * program, so that two programs never differ, nor look alike, because of the moment at which they ran.
 */
export const replayClock = (start: number) => `(() => {
  const { Date: RealDate, Reflect: { construct, get }, Math: RealMath, setTimeout: after, setInterval: every } = globalThis;
  let now = ${start};
  let state = 1;
  const random = () => {
    state = (RealMath.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  const ReplayDate = new Proxy(RealDate, {
    construct: (target, given, made) => construct(target, given.length > 0 ? given : [now], made === ReplayDate ? target : made),
    apply: () => new RealDate(now).toString(),
    get: (target, key) => (key === 'now' ? () => now : get(target, key)),
  });
  RealDate.prototype.constructor = ReplayDate;
  const put = (object, key, value) => Object.defineProperty(object, key, { value, writable: true, configurable: true });
  const later = (set, repeats) => (act, ms = 0, ...rest) => {
    let due = now + (Number(ms) || 0);
    return set((...given) => {
      now = RealMath.max(now, due);
      if (repeats) due += Number(ms) || 0;
      return act(...given);
    }, ms, ...rest);
  };
  put(globalThis, 'Date', ReplayDate);
  put(globalThis, 'setTimeout', later(after, false));
  put(globalThis, 'setInterval', later(every, true));
  put(RealMath, 'random', random);
  if (globalThis.crypto?.randomUUID) {
    const digits = (count) => Array.from({ length: count }, () => RealMath.floor(random() * 16).toString(16)).join('');
    put(globalThis.crypto, 'randomUUID', () => [digits(8), digits(4), '4' + digits(3), 'a' + digits(3), digits(12)].join('-'));
  }
})()`;
