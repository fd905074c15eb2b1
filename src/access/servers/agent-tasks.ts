import { PmlError } from '../../errors.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';

/** Whose to-do list it is. */
export interface TaskOwner {
  readonly org: string;
  readonly project: string;
  readonly user: string;
  readonly agent: string;
}

export type TaskStatus = 'open' | 'doing' | 'done';

export interface Task {
  number: number;
  title: string;
  details: string;
  status: TaskStatus;
  created_at: Date;
  updated_at: Date;
}

export interface TaskChange {
  title?: string | undefined;
  details?: string | undefined;
  status?: TaskStatus | undefined;
}

/** A list that nobody tidies up must not grow for ever. */
export const MAX_TASKS = 500;

const OWNED = 'org = $1 and project = $2 and user_id = $3 and agent = $4';
const FIELDS = 'number, title, details, status, created_at, updated_at';

/** The to-do list of one agent and user, in the store. */
export class AgentTasks {
  readonly #db: Db;
  readonly #owner: readonly string[];
  readonly #redactor: Redactor;

  constructor(db: Db, { org, project, user, agent }: TaskOwner, redactor: Redactor) {
    this.#db = db;
    this.#owner = [org, project, user, agent];
    this.#redactor = redactor;
  }

  async add(title: string, details = ''): Promise<Task> {
    const texts = [this.#text('task_title', title), this.#text('task_details', details)];
    const { rows } = await this.#db.transaction(async (tx) => {
      // One at a time, so that no two take the same number.
      await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [JSON.stringify(this.#owner)]);
      return tx.query<Task>(
        `insert into agent_tasks (org, project, user_id, agent, number, title, details)
         select $1, $2, $3, $4, coalesce(max(number), 0) + 1, $5, $6 from agent_tasks where ${OWNED}
         having count(*) < ${MAX_TASKS} returning ${FIELDS}`,
        [...this.#owner, ...texts],
      );
    });
    if (rows[0]) return rows[0];
    throw new PmlError('not_allowed', `The list holds ${MAX_TASKS} tasks: remove some first.`);
  }

  async list(status: TaskStatus | undefined): Promise<Task[]> {
    const { rows } = await this.#db.query<Task>(
      `select ${FIELDS} from agent_tasks where ${OWNED} and ($5::text is null or status = $5) order by number`,
      [...this.#owner, status ?? null],
    );
    return rows;
  }

  async update(number: number, { title, details, status }: TaskChange): Promise<Task> {
    const { rows } = await this.#db.query<Task>(
      `update agent_tasks set title = coalesce($6, title), details = coalesce($7, details),
         status = coalesce($8, status), updated_at = now()
       where ${OWNED} and number = $5 returning ${FIELDS}`,
      [
        ...this.#owner,
        number,
        title === undefined ? null : this.#text('task_title', title),
        details === undefined ? null : this.#text('task_details', details),
        status ?? null,
      ],
    );
    return rows[0] ?? notFound(number);
  }

  async remove(number: number): Promise<Task> {
    const { rows } = await this.#db.query<Task>(
      `delete from agent_tasks where ${OWNED} and number = $5 returning ${FIELDS}`,
      [...this.#owner, number],
    );
    return rows[0] ?? notFound(number);
  }

  #text(field: 'task_title' | 'task_details', text: string): string {
    const stored = storedText(field, text, this.#redactor);
    // NUL characters cannot be stored, and may be all that a text holds.
    if (stored.trim() === '' && field === 'task_title')
      throw new PmlError('invalid_arguments', 'A task needs a title.');
    return stored;
  }
}

function notFound(number: number): never {
  throw new PmlError('invalid_arguments', `There is no task ${number}. list_tasks shows all.`);
}
