import { createCssVariablesTheme, createHighlighterCoreSync } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import typescript from 'shiki/langs/typescript.mjs';
import { serveTasks } from '../../../task-thread.ts';
import { spansOf } from './spans.ts';

const THEME = 'kinds';

/** Its colours are variables named after kinds of tokens, which `spansOf` turns into CSS classes. */
const theme = createCssVariablesTheme({ name: THEME, variablePrefix: '--', variableDefaults: {} });

const highlighter = createHighlighterCoreSync({
  langs: [typescript],
  themes: [theme],
  engine: createJavaScriptRegexEngine(),
});

serveTasks({
  highlight: (code: string): string =>
    // The thread has a deadline. Shiki's own would leave the rest of a line without colours.
    spansOf(highlighter.codeToTokensBase(code, { lang: 'typescript', theme: THEME, tokenizeTimeLimit: 0 })),
});
