import { type ComponentChildren, options, type VNode } from 'preact';
import { visible } from './visible.ts';

const ATTRIBUTES = ['title', 'aria-label', 'placeholder', 'alt'] as const;

/**
 * Makes hidden characters visible in every text that Preact renders, in elements and in the attributes that readers see. All
 * elements pass here, so no view can forget it; only a bare string that a component returns does not, so none may. The values
 * of form fields stay as they are, because they are sent back.
 */
export function guardText(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    guard(vnode.props as Record<string, unknown>);
    before?.(vnode);
  };
}

function guard(props: Record<string, unknown>): void {
  if (props.children !== undefined) props.children = guardChildren(props.children as ComponentChildren);
  for (const name of ATTRIBUTES) {
    const value = props[name];
    if (typeof value === 'string') props[name] = visible(value);
  }
}

function guardChildren(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return visible(children);
  if (!Array.isArray(children)) return children;
  return children.some((child) => typeof child === 'string' || Array.isArray(child))
    ? children.map(guardChildren)
    : children;
}
