import { acceptCompletion, autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { ToolTypes } from '../../api/types.ts';
import { toolCompletion } from './completion.ts';

export interface Editor {
  text: () => string;
  /** Points out the line of an error; null for none. */
  markLine: (line: number | null) => void;
  focus: () => void;
  destroy: () => void;
}

const setMark = StateEffect.define<number | null>();

const markedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setMark)) return decorate(transaction.state, effect.value);
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorate({ doc }: EditorState, line: number | null): DecorationSet {
  if (line === null || line < 1 || line > doc.lines) return Decoration.none;
  return Decoration.set([Decoration.line({ class: 'cm-marked' }).range(doc.line(line).from)]);
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--tok-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--tok-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--tok-number)' },
  { tag: tags.comment, color: 'var(--tok-comment)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--tok-function)' },
  { tag: tags.typeName, color: 'var(--tok-type)' },
  { tag: tags.propertyName, color: 'var(--tok-property)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', color: 'var(--text)', backgroundColor: 'var(--bg-raised)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--text-3)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-soft) !important',
  },
  '.cm-marked': { backgroundColor: 'var(--bad-soft)', boxShadow: 'inset 2px 0 0 var(--bad)' },
  '.cm-tooltip': {
    border: 'none',
    borderRadius: '8px',
    overflow: 'hidden',
    color: 'var(--text)',
    backgroundColor: 'var(--bg-raised)',
    boxShadow: 'var(--shadow-big)',
  },
  '.cm-tooltip-autocomplete ul li': { padding: '3px 8px', fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--bg-active)', color: 'var(--text)' },
  '.cm-completionInfo': {
    padding: '8px 10px',
    maxWidth: '420px',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
});

/**
 * Opens CodeMirror in a shadow root: there it adopts its styles as constructed sheets, which the content security policy allows.
 * In the document it would write style elements, which the policy forbids.
 */
export function openEditor(
  host: HTMLElement,
  options: { text: string; types: ToolTypes; onChange: (text: string) => void; onRun: () => void },
): Editor {
  const run = () => {
    options.onRun();
    return true;
  };
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root as unknown as HTMLElement,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        keymap.of([
          { key: 'Mod-Enter', run },
          { key: 'Tab', run: acceptCompletion },
        ]),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        javascript({ typescript: true }),
        syntaxHighlighting(colours),
        autocompletion({ override: [toolCompletion(options.types.tools)] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': 'Code' }),
        EditorView.updateListener.of(
          (update) => update.docChanged && options.onChange(update.state.doc.toString()),
        ),
        markedLine,
        look,
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    markLine: (line) => view.dispatch({ effects: setMark.of(line) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
