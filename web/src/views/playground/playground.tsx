import { useEffect, useRef, useState } from 'preact/hooks';
import { get, post } from '../../api/client.ts';
import type { ExecuteAnswer, ToolTypes } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { Card, PageFrame } from '../../components/page.tsx';
import { Empty, Loaded, Problem } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { Answer } from './answer.tsx';
import { type Editor, openEditor } from './editor.ts';
import './playground.css';

const KEY = 'pml-playground';

/** Writes code against all tools and runs it, as an agent does with pml_execute. */
export function Playground() {
  const types = useResource('types', (signal) => get<ToolTypes>('/types', {}, signal));
  return (
    <PageFrame
      title="Playground"
      layout="wide"
      beside={
        types.data && <span class="muted">{count(types.data.tools.length)} functions to call: type mcp.</span>
      }
    >
      <Loaded of={types}>{(loaded) => <Workbench types={loaded} />}</Loaded>
    </PageFrame>
  );
}

interface Draft {
  intent: string;
  code: string;
  name: string;
}

function Workbench({ types }: { types: ToolTypes }) {
  const [draft, setDraft] = useDraft(types);
  const [answer, setAnswer] = useState<ExecuteAnswer | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const editor = useRef<Editor>(undefined);
  const run = async (remember: boolean) => {
    setBusy(true);
    setProblem(null);
    editor.current?.markLine(null);
    try {
      const intent = draft.intent.trim() || 'try something in the playground';
      const name = remember && draft.name.trim() ? { name: draft.name.trim() } : {};
      setAnswer(await post<ExecuteAnswer>('/execute', { intent, code: draft.code, remember, ...name }));
    } catch (error) {
      setAnswer(null);
      setProblem(error as Error);
    } finally {
      setBusy(false);
    }
  };
  const latestRun = useRef(run);
  latestRun.current = run;
  return (
    <div class="grid workbench">
      <div class="stack">
        <div class="field">
          <label for="intent">What should it do?</label>
          <input
            id="intent"
            class="input"
            maxLength={1000}
            placeholder="An intent in your own words; it becomes the description"
            value={draft.intent}
            onInput={(event) => setDraft({ ...draft, intent: event.currentTarget.value })}
          />
        </div>
        <CodeField
          code={draft.code}
          types={types}
          editor={editor}
          onChange={(code) => setDraft((was) => ({ ...was, code }))}
          onRun={() => void latestRun.current(false)}
        />
        <div class="row wrap">
          <button type="button" class="button primary" disabled={isBusy} onClick={() => void run(false)}>
            {isBusy ? 'Running…' : 'Run'}
          </button>
          <span class="muted small">Ctrl+Enter</span>
          <span class="grow" />
          <input
            class="input keep-name"
            aria-label="Name of the capability, optional"
            placeholder="namespace:action (optional)"
            maxLength={64}
            value={draft.name}
            onInput={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
          <button
            type="button"
            class="button"
            disabled={isBusy}
            title="Runs it once more, and remembers it as a capability if it succeeds"
            onClick={() => void run(true)}
          >
            Run and keep
          </button>
        </div>
      </div>
      <div class="stack">
        {problem && <Problem error={problem} />}
        {answer && (
          <Answer key={answer.run} answer={answer} onLine={(line) => editor.current?.markLine(line)} />
        )}
        {!answer && !problem && (
          <Card title="Answer">
            <Empty compact icon="playground" title="Not run yet">
              <p>What the code returns, and a timeline of its calls, appear here.</p>
            </Empty>
          </Card>
        )}
      </div>
    </div>
  );
}

function CodeField(props: {
  code: string;
  types: ToolTypes;
  editor: { current: Editor | undefined };
  onChange: (code: string) => void;
  onRun: () => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!host.current) return;
    const opened = openEditor(host.current, {
      text: latest.current.code,
      types: props.types,
      onChange: (code) => latest.current.onChange(code),
      onRun: () => latest.current.onRun(),
    });
    latest.current.editor.current = opened;
    return () => opened.destroy();
  }, [props.types]);
  return <div class="editor" ref={host} />;
}

/** The draft survives going to another view and back. */
function useDraft(types: ToolTypes): [Draft, (change: Draft | ((was: Draft) => Draft)) => void] {
  const [draft, setDraft] = useState<Draft>(
    () => readDraft() ?? { intent: '', name: '', code: exampleOf(types) },
  );
  useEffect(() => {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(draft));
    } catch {
      // Too large for the browser, or it has no storage.
    }
  }, [draft]);
  return [draft, setDraft];
}

function readDraft(): Draft | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
  } catch {
    return null;
  }
}

function exampleOf({ tools: [first] }: ToolTypes): string {
  if (!first) return "// Add a server first: pml add NAME -- COMMAND\nreturn 'hello';\n";
  return `// Every tool is a function. Type "mcp." to see them all.\nconst answer = await ${first.path}({});\nreturn answer;\n`;
}
