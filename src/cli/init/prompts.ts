import { PmlError } from '../../errors.ts';

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
}

/** Questions to a person. Each throws `cancelled` if the person presses ctrl-C instead. */
export interface Prompts {
  /** Lets the person pick any of several groups; those in `picked` are picked at first. */
  pick<T>(message: string, groups: Readonly<Record<string, Choice<T>[]>>, picked: readonly T[]): Promise<T[]>;
  confirm(message: string): Promise<boolean>;
}

/** Asks on the terminal. The library is loaded with the first question. */
export const terminalPrompts: Prompts = {
  pick: async <T>(message: string, groups: Readonly<Record<string, Choice<T>[]>>, picked: readonly T[]) => {
    const { groupMultiselect } = await loadPrompts();
    const options = groups as Parameters<typeof groupMultiselect<T>>[0]['options'];
    return answered(
      await groupMultiselect<T>({ message, options, initialValues: [...picked], required: false }),
    );
  },
  confirm: async (message) => {
    const { confirm } = await loadPrompts();
    return answered(await confirm({ message }));
  },
};

/** Some terminals do not know their size (serial lines, containers). The library would then wrap after each letter. */
function loadPrompts() {
  const { stdout } = process;
  stdout.columns ||= USUAL_COLUMNS;
  stdout.rows ||= USUAL_ROWS;
  return import('@clack/prompts');
}

const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<T, symbol>;
  throw new PmlError('cancelled', 'Cancelled. Nothing that you did not confirm was written.');
}
