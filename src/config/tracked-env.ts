import type { Env } from './expand-variables.ts';

/** Returns the environment as it is, and adds to `names` each variable that is looked up in it, set or not. */
export function trackedEnv(env: Env, names: Set<string>): Env {
  const note = (name: string | symbol) => {
    if (typeof name === 'string') names.add(name);
  };
  return new Proxy(env, {
    get: (target, name) => {
      note(name);
      return Reflect.get(target, name);
    },
    has: (target, name) => {
      note(name);
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor: (target, name) => {
      note(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
}
