import type { Choices } from '../../src/testing/programs/choices.ts';
import { PLAIN_STYLE, STYLE_CHOICES, type Style } from '../../src/testing/programs/styles/procedure.ts';

/** How often, in a hundred programs of varied style, an aspect is anything but plain. */
const VARIED: Record<keyof Style, number> = {
  values: 60,
  texts: 25,
  calls: 30,
  loops: 60,
  parallel: 20,
  access: 30,
  results: 50,
  exit: 60,
  guard: 12,
  wrapper: 25,
  types: 25,
  names: 70,
  noise: 50,
  keys: 50,
};

/** Draws a style: each aspect by itself, so that all combinations occur. */
export function variedStyle(choices: Choices, { guards = true } = {}): Style {
  const drawn = Object.entries(STYLE_CHOICES).map(([aspect, [plain, ...others]]) => {
    const isVaried = choices.maybe(VARIED[aspect as keyof Style]);
    const other = choices.one(others as readonly string[]);
    return [aspect, isVaried ? other : plain];
  });
  const style = Object.fromEntries(drawn) as unknown as Style;
  return guards ? style : { ...style, guard: style.guard === 'rethrow' ? 'rethrow' : 'none' };
}

/** Every style that differs from the plain one in a single aspect. */
export function singleStyles(): { name: string; style: Style }[] {
  return Object.entries(STYLE_CHOICES).flatMap(([aspect, [, ...others]]) =>
    others.map((value) => ({ name: `${aspect}: ${value}`, style: { ...PLAIN_STYLE, [aspect]: value } })),
  );
}
