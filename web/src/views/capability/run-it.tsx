import { apiPath, post } from '../../api/client.ts';
import type { Capability, RunAnswer } from '../../api/types.ts';
import { useCall } from '../../api/use-call.ts';
import { Outcome } from '../../components/badges.tsx';
import { Card } from '../../components/page.tsx';
import { SchemaForm } from '../../components/schema-form.tsx';
import { Empty, Problem } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import { attempt, notify } from '../../shell/toasts.tsx';
import { duration } from '../../text/format.ts';
import { JsonText } from '../../text/long-text.tsx';

/** Runs the capability with arguments from a form, and takes the reader's word on how it went. */
export function RunIt({ record }: { record: Capability }) {
  const { isBusy, answer, problem, run } = useCall<RunAnswer>(apiPath('capabilities', record.id, 'run'));
  return (
    <div class="grid two">
      <Card title="Parameters">
        <SchemaForm schema={record.parameters_schema} action="Run" isBusy={isBusy} onSubmit={run} />
      </Card>
      <Card title="Answer" acts={answer && <AnswerHead answer={answer} />}>
        {problem && <Problem error={problem} />}
        {!answer && !problem && (
          <Empty compact icon="runs" title="Not run yet">
            <p>It calls the real tools. What it returns is shown here.</p>
          </Empty>
        )}
        {answer && <Answer answer={answer} id={record.id} />}
      </Card>
    </div>
  );
}

function AnswerHead({ answer }: { answer: RunAnswer }) {
  return (
    <span class="row">
      <Outcome ok={answer.ok} cached={answer.cached ?? false} />
      <span class="muted">{duration(answer.ms)}</span>
      {answer.run !== null && (
        <a class="link" href={to('runs', answer.run)}>
          Timeline
        </a>
      )}
    </span>
  );
}

function Answer({ answer, id }: { answer: RunAnswer; id: string }) {
  const say = (success: boolean) =>
    attempt(async () => {
      await post(apiPath('capabilities', id, 'feedback'), { success });
      notify('Thank you. It counts as evidence.');
    });
  return (
    <div class="stack">
      {answer.error && (
        <div class="problem-note" role="alert">
          <b>{answer.error.message.slice(0, 4000)}</b>
          {answer.error.hint && <span class="muted">{answer.error.hint}</span>}
        </div>
      )}
      {answer.ok && <JsonText value={answer.result} label="Result" />}
      {answer.warnings?.map((warning) => (
        <p class="warn" key={warning}>
          {warning}
        </p>
      ))}
      <div class="row">
        <span class="muted">Did it do what it says?</span>
        <button type="button" class="button small" onClick={() => void say(true)}>
          Yes
        </button>
        <button type="button" class="button small" onClick={() => void say(false)}>
          No
        </button>
      </div>
    </div>
  );
}
