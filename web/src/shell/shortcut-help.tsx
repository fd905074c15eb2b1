import { Dialog } from '../components/dialog.tsx';
import { shortcutHelp } from './overlays.ts';
import { activeShortcuts, GO_TO } from './shortcuts.ts';

/** All keys that do something here. */
export function ShortcutHelp() {
  if (!shortcutHelp.value) return null;
  const here = activeShortcuts();
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="facts">
        {here.map(({ key, does }) => (
          <Key keys={[key]} does={does} key={key + does} />
        ))}
        {Object.entries(GO_TO).map(([key, { name }]) => (
          <Key keys={['g', key]} does={`Go to ${name}`} key={key} />
        ))}
      </dl>
    </Dialog>
  );
}

function close(): void {
  shortcutHelp.value = false;
}

function Key({ keys, does }: { keys: string[]; does: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  );
}
