import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty, Skeleton } from '../components/states.tsx';
import { place } from '../router/router.ts';
import { Overview } from '../views/overview/overview.tsx';

/** The input of a view: the parts of the path after its own name. */
export interface ViewProps {
  parts: string[];
}
type View = ComponentType<ViewProps>;

/** Each view is a file of its own, loaded when it is first shown. */
const LISTS: Record<string, () => Promise<View>> = {
  capabilities: () =>
    import('../views/capabilities/capabilities.tsx').then(({ Capabilities }) => Capabilities),
  inbox: () => import('../views/inbox/inbox.tsx').then(({ Inbox }) => Inbox),
  runs: () => import('../views/runs/runs.tsx').then(({ Runs }) => Runs),
  tools: () => import('../views/tools/tools.tsx').then(({ Tools }) => Tools),
  servers: () => import('../views/servers/servers.tsx').then(({ Servers }) => Servers),
  agents: () => import('../views/agents/agents.tsx').then(({ Agents }) => Agents),
  graph: () => import('../views/graph/graph.tsx').then(({ Graph }) => Graph),
  playground: () => import('../views/playground/playground.tsx').then(({ Playground }) => Playground),
};
/** The views of a single thing, by the name of its list. */
const DETAILS: Record<string, () => Promise<View>> = {
  capabilities: () => import('../views/capability/capability.tsx').then(({ Capability }) => Capability),
  runs: () => import('../views/run/run.tsx').then(({ Run }) => Run),
  tools: () => import('../views/tool/tool.tsx').then(({ Tool }) => Tool),
  servers: () => import('../views/servers/server.tsx').then(({ Server }) => Server),
  agents: () => import('../views/agents/agent.tsx').then(({ Agent }) => Agent),
};

const loaded = new Map<string, View>([['', Overview]]);

/** Loads a view before it is asked for, such as when the pointer is over its link. */
export function preload(name: string): void {
  const load = LISTS[name];
  if (load && !loaded.has(name)) void load().then((view) => loaded.set(name, view));
}

/** The view of the present address. */
export function CurrentView() {
  const [name = '', ...parts] = place.value.parts;
  const key = parts.length > 0 ? `${name}/` : name;
  const load = parts.length > 0 ? DETAILS[name] : LISTS[name];
  if (name !== '' && !load) return <Unknown />;
  return <LoadedView key={`${key}${parts.join('/')}`} name={key} load={load} parts={parts} />;
}

function LoadedView({ name, load, parts }: { name: string; load?: () => Promise<View>; parts: string[] }) {
  const [view, setView] = useState<{ of: View } | 'failed' | undefined>(() => {
    const known = loaded.get(name);
    return known && { of: known };
  });
  // A view is loaded once
  useEffect(() => {
    if (view || !load) return;
    load()
      .then((of) => {
        loaded.set(name, of);
        setView({ of });
      })
      .catch(() => setView('failed'));
  }, []);
  if (view === 'failed') return <Gone />;
  if (!view) return <Loading />;
  return <view.of parts={parts} />;
}

function Loading() {
  return (
    <div class="page">
      <div class="page-head" />
      <Skeleton lines={8} />
    </div>
  );
}

/** The file of the view is not there: the gateway was upgraded, or is away. */
function Gone() {
  return (
    <Empty icon="refresh" title="This part of the page could not be loaded">
      <p>The gateway is away, or was upgraded since this page was opened.</p>
      <p>
        <button type="button" class="button primary" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    </Empty>
  );
}

function Unknown() {
  return (
    <Empty icon="search" title="There is no such page">
      <p>
        <a class="link" href="/">
          Go to the overview
        </a>
      </p>
    </Empty>
  );
}
