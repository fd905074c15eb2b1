import { bounded } from '../text/format.ts';

/** The first cell of a table's row: the name, which leads to the thing, and what it is for. */
export function NameCell({ href, name, description }: { href: string; name: string; description: string }) {
  return (
    <>
      <a class="name" href={href}>
        {bounded(name, 80)}
      </a>{' '}
      <span class="description">{bounded(description, 200)}</span>
    </>
  );
}
