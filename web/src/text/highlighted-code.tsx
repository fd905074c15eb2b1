import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';

const ALLOWED_CLASS = /^(?:line|tok-[a-z]+)$/;
/** Code beyond this is shown without colours. */
const MAX_HTML = 2_000_000;

interface Mark {
  line: number;
  message: string;
}

/** Code as the gateway highlighted it, line by line. `mark` points out the line of an error. */
export function HighlightedCode({ html, code, mark }: { html?: string; code?: string; mark?: Mark }) {
  const lines = useMemo(
    () =>
      html && html.length <= MAX_HTML
        ? readHighlighted(html)
        : (code ?? '').split('\n').map((line) => [line]),
    [html, code],
  );
  return (
    <pre class="code" role="group" aria-label="Code" tabIndex={0}>
      <code>
        {lines.map((line, index) => (
          <span class={mark?.line === index + 1 ? 'code-line marked' : 'code-line'}>
            <span class="line-number" aria-hidden="true">
              {index + 1}
            </span>
            <span class="line-text">
              {line}
              {'\n'}
            </span>
            {mark?.line === index + 1 && <span class="line-error">{mark.message}</span>}
          </span>
        ))}
      </code>
    </pre>
  );
}

/**
 * The only way by which HTML of the gateway reaches the page. It is parsed without running anything and rebuilt: spans with a
 * known class are kept; of everything else, only the text.
 */
export function readHighlighted(html: string): ComponentChild[][] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const lines = [...body.children].filter(({ className }) => className === 'line');
  if (lines.length === 0) return (body.textContent ?? '').split('\n').map((line) => [line]);
  return lines.map((line) => [...line.childNodes].map(rebuild));
}

function rebuild(node: Node): ComponentChild {
  if (!(node instanceof HTMLElement)) return node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '') : '';
  const children = [...node.childNodes].map(rebuild);
  if (node.tagName === 'SPAN' && ALLOWED_CLASS.test(node.className))
    return <span class={node.className}>{children}</span>;
  return <span>{children}</span>;
}
