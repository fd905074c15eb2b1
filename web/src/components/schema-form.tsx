import { useId, useMemo, useState } from 'preact/hooks';
import { type Field, readFields, readValue } from './read-schema.ts';

/** A form made of a JSON Schema: it hands over the arguments as an object. */
export function SchemaForm(props: {
  schema: unknown;
  action: string;
  isBusy: boolean;
  onSubmit: (args: Record<string, unknown>) => void;
}) {
  const fields = useMemo(() => readFields(props.schema), [props.schema]);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [asJson, setAsJson] = useState<string | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const read = asJson === null ? readAll(fields, texts) : readJson(asJson);
    setProblems(read.problems);
    if (Object.keys(read.problems).length === 0) props.onSubmit(read.args);
  };
  const switchMode = () => {
    if (asJson !== null) return setAsJson(null);
    setAsJson(JSON.stringify(readAll(fields, texts).args, null, 2));
  };
  return (
    <form class="fields" onSubmit={submit} noValidate>
      {asJson !== null && <JsonField text={asJson} problem={problems.json} onText={setAsJson} />}
      {asJson === null && fields.length === 0 && <p class="muted">It takes no parameters.</p>}
      {asJson === null &&
        fields.map((field) => (
          <FieldRow
            key={field.name}
            field={field}
            text={texts[field.name] ?? field.initial}
            problem={problems[field.name]}
            onText={(text) => setTexts({ ...texts, [field.name]: text })}
          />
        ))}
      <div class="row">
        <button type="submit" class="button primary" disabled={props.isBusy}>
          {props.isBusy ? 'Running…' : props.action}
        </button>
        <button type="button" class="button quiet" onClick={switchMode}>
          {asJson === null ? 'As JSON' : 'As a form'}
        </button>
      </div>
    </form>
  );
}

interface Read {
  args: Record<string, unknown>;
  problems: Record<string, string>;
}

function readAll(fields: readonly Field[], texts: Record<string, string>): Read {
  const args: [string, unknown][] = [];
  const problems: [string, string][] = [];
  for (const field of fields) {
    try {
      const value = readValue(field, texts[field.name] ?? field.initial);
      if (value !== undefined) args.push([field.name, value]);
    } catch (error) {
      problems.push([field.name, (error as Error).message]);
    }
  }
  return { args: Object.fromEntries(args), problems: Object.fromEntries(problems) };
}

function readJson(text: string): Read {
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) {
      return { args: args as Record<string, unknown>, problems: {} };
    }
  } catch {
    // The message below says it.
  }
  return { args: {}, problems: { json: 'This must be a JSON object, such as {"path": "a.txt"}.' } };
}

function FieldRow(props: { field: Field; text: string; problem?: string; onText: (text: string) => void }) {
  const { field, problem } = props;
  const id = useId();
  const about = [field.description && `${id}-note`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        <code>{field.name}</code>
        {field.isRequired ? <span class="bad"> *</span> : <span class="muted small"> optional</span>}
      </label>
      <Control {...props} id={id} about={about || undefined} />
      {field.description && (
        <span class="note" id={`${id}-note`}>
          {field.description}
        </span>
      )}
      {problem && (
        <span class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

function Control(props: {
  field: Field;
  text: string;
  onText: (text: string) => void;
  id: string;
  about?: string;
}) {
  const { field, text, onText } = props;
  const shared = { id: props.id, 'aria-describedby': props.about, 'aria-required': field.isRequired };
  if (field.kind === 'choice' || field.kind === 'boolean') {
    const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
    return (
      <select class="select" {...shared} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">{field.isRequired ? 'Choose…' : 'Not given'}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice.replace(/^"(.*)"$/, '$1').slice(0, 100)}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === 'json' || text.length > 80 || text.includes('\n')) {
    return (
      <textarea
        class="textarea mono"
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        {...shared}
        placeholder={field.example}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    );
  }
  return (
    <input
      class="input"
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      {...shared}
      placeholder={field.example}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}

function JsonField({
  text,
  problem,
  onText,
}: {
  text: string;
  problem?: string;
  onText: (text: string) => void;
}) {
  return (
    <div class="field">
      <label for="arguments-json">Arguments</label>
      <textarea
        id="arguments-json"
        class="textarea mono"
        rows={8}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
