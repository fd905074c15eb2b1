import { useState } from 'preact/hooks';
import { session } from '../api/client.ts';
import { connection } from '../api/live-events.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { place } from '../router/router.ts';
import { short } from '../text/format.ts';
import { inboxCount } from './inbox-count.ts';
import { quickSearch, shortcutHelp } from './overlays.ts';
import { switchTheme, theme } from './theme.ts';
import { WorkspaceChoice } from './workspace-choice.tsx';

const ITEMS: { path: string; name: string; icon: IconName }[] = [
  { path: '', name: 'Overview', icon: 'overview' },
  { path: 'capabilities', name: 'Capabilities', icon: 'capabilities' },
  { path: 'inbox', name: 'Inbox', icon: 'inbox' },
  { path: 'runs', name: 'Runs', icon: 'runs' },
  { path: 'tools', name: 'Tools', icon: 'tools' },
  { path: 'servers', name: 'Servers', icon: 'servers' },
  { path: 'agents', name: 'Agents', icon: 'agents' },
  { path: 'graph', name: 'Graph', icon: 'graph' },
  { path: 'playground', name: 'Playground', icon: 'playground' },
];

const THEMES = {
  system: ['system', 'System colours'],
  light: ['sun', 'Light'],
  dark: ['moon', 'Dark'],
} as const;
const STATES = {
  connecting: ['', 'Connecting'],
  open: ['good', 'Live'],
  away: ['bad', 'Gateway away'],
} as const;

/** The views, and at the bottom what holds for all of them. */
export function Navigation({ preload }: { preload: (path: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const current = place.value.parts[0] ?? '';
  const [icon, label] = THEMES[theme.value];
  return (
    <nav class={isOpen ? 'side open' : 'side'} aria-label="Views">
      <a class="brand" href="/">
        <img src="/icon.svg" alt="" />
        PML
      </a>
      <button
        type="button"
        class="button quiet icon menu-button"
        aria-label="Menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" size={16} />
      </button>
      <div class="nav-list">
        <button type="button" class="nav-item" onClick={() => openSearch()}>
          <Icon name="search" />
          Search
          <kbd aria-hidden="true">/</kbd>
        </button>
        {ITEMS.map((item) => (
          <a
            key={item.path}
            class="nav-item"
            href={`/${item.path}`}
            aria-current={current === item.path ? 'page' : undefined}
            onPointerEnter={() => preload(item.path)}
            onClick={() => setOpen(false)}
          >
            <Icon name={item.icon} />
            {item.name}
            {item.path === 'inbox' && <InboxCount />}
          </a>
        ))}
      </div>
      <div class="side-foot">
        <WorkspaceChoice />
        <button
          type="button"
          class="nav-item"
          onClick={switchTheme}
          aria-label={`Colours: ${label}. Switch.`}
        >
          <Icon name={icon} />
          {label}
        </button>
        <button type="button" class="nav-item" onClick={openHelp}>
          <Icon name="keyboard" />
          Shortcuts
          <kbd aria-hidden="true">?</kbd>
        </button>
        <GatewayState />
      </div>
    </nav>
  );
}

function openSearch(): void {
  quickSearch.value = true;
}

function openHelp(): void {
  shortcutHelp.value = true;
}

function InboxCount() {
  const waiting = inboxCount.value;
  if (!waiting) return null;
  return (
    <span class="count">
      {short(waiting)}
      <span class="visually-hidden"> waiting</span>
    </span>
  );
}

function GatewayState() {
  const [tone, label] = STATES[connection.value];
  return (
    <div class="gateway-state">
      <span class={`dot ${tone}`} />
      <span>{label}</span>
      <span class="truncate">{session.value && `v${session.value.version}`}</span>
    </div>
  );
}
