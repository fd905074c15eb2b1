import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** A modal dialog. The browser keeps the focus in it and gives it back afterwards. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
  foot?: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={props.wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onClose={props.onClose}
      onClick={(event) => event.target === element.current && props.onClose()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog-head">
        <h2 id={id}>{props.title}</h2>
        <button type="button" class="button quiet icon small" aria-label="Close" onClick={props.onClose}>
          <Icon name="close" size={12} />
        </button>
      </div>
      <div class="dialog-body">{props.children}</div>
      {props.foot && <div class="dialog-foot">{props.foot}</div>}
    </dialog>
  );
}
