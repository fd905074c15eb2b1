import { session } from '../api/client.ts';
import { connection, upgradedTo } from '../api/live-events.ts';
import { Icon } from '../components/icon.tsx';

/** Says what holds for the whole page: the gateway is away, was upgraded, or did not trust its config. */
export function Banner() {
  if (upgradedTo.value) {
    return (
      <div class="banner info" role="status">
        <Icon name="refresh" />
        <span>PML was upgraded to {upgradedTo.value}. This page is from the version before.</span>
        <button type="button" class="button small" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  }
  if (connection.value === 'away') {
    return (
      <div class="banner" role="status">
        <Icon name="warning" />
        <span>The gateway is away. What you see may be old; the page catches up when it is back.</span>
      </div>
    );
  }
  if (session.value?.untrusted) {
    return (
      <div class="banner" role="status">
        <Icon name="shield" />
        <span>{session.value.untrusted}</span>
      </div>
    );
  }
  return null;
}
