import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/** A button that opens a small panel below it. A click elsewhere or Escape closes it. */
export function Menu(props: { label: string; icon?: IconName; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event) => {
      if (!element.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div class="menu" ref={element} onKeyDown={onKey}>
      <button
        ref={button}
        type="button"
        class="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {props.icon && <Icon name={props.icon} />}
        {props.label}
      </button>
      {isOpen && <div class="menu-panel popover">{props.children}</div>}
    </div>
  );
}
