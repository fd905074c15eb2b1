import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { moves } from '../router/router.ts';

/** A view's frame: its title, its acts, its content. The title takes the focus on arrival, so that a screen reader says it. */
export function PageFrame(props: {
  title: string;
  /** Stands before the title, such as the list it is from. */
  above?: ComponentChildren;
  beside?: ComponentChildren;
  acts?: ComponentChildren;
  layout?: 'wide' | 'fill';
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${props.title.slice(0, 80)} · PML`;
  }, [props.title]);
  useEffect(() => {
    if (moves.peek() > 0) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class={`page ${props.layout ?? ''}`}>
      <header class="page-head">
        {props.above && <span class="crumb">{props.above}</span>}
        <h1 ref={heading} tabIndex={-1} class="wrap-anywhere">
          {props.title}
        </h1>
        {props.beside}
        <span class="spacer" />
        {props.acts}
      </header>
      {props.children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Card(props: {
  title: string;
  beside?: ComponentChildren;
  acts?: ComponentChildren;
  flush?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section class="card" aria-label={props.title}>
      <div class="card-head">
        <h2>{props.title}</h2>
        {props.beside}
        <span class="spacer" />
        {props.acts}
      </div>
      <div class={props.flush ? 'card-body flush' : 'card-body'}>{props.children}</div>
    </section>
  );
}
