import { chosenWorkspace, session } from '../api/client.ts';
import { restartLive } from '../api/live-events.ts';

/** Which workspace is shown, where the gateway has several. */
export function WorkspaceChoice() {
  const known = session.value;
  if (!known || known.workspaces.length < 2) return null;
  const choose = (id: string) => {
    chosenWorkspace.value = id === known.workspace ? null : id;
    restartLive();
  };
  return (
    <select
      class="select"
      aria-label="Workspace"
      value={chosenWorkspace.value ?? known.workspace}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {known.workspaces.map(({ id, config, scope }) => (
        <option value={id} key={id} title={config ?? undefined}>
          {scope} {config ? `· ${folderOf(config)}` : ''}
        </option>
      ))}
    </select>
  );
}

/** The folder of a config says best which one it is. */
function folderOf(file: string): string {
  return file.split(/[\\/]/).at(-2) ?? file;
}
