/** Panels that most visits never open. Their code is loaded when they are. */
import { type ComponentType, lazy } from 'react';
import { Dialog } from './elements/dialog.tsx';

export const LazyDeviceDialog = later(() =>
  import('./login/device-dialog.tsx').then((file) => file.DeviceDialog),
);
export const LazySessionsPanel = later(() =>
  import('./components/sessions-panel.tsx').then((file) => file.SessionsPanel),
);
export const LazySettingsPanel = later(() =>
  import('./settings/settings-panel.tsx').then((file) => file.SettingsPanel),
);
export const LazyShareDialog = later(() =>
  import('./share/share-dialog.tsx').then((file) => file.ShareDialog),
);

/** After a deploy, the files of an older page may be gone. The page then shows a message and keeps its terminals. */
function later<P extends { readonly onClose: () => void }>(load: () => Promise<ComponentType<P>>) {
  return lazy(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: Outdated as ComponentType<P> }),
    ),
  );
}

function Outdated({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog kind="question" title="This part could not be loaded" onClose={onClose}>
      <p>This page has a newer version, or the network is down. Reloading keeps your terminals.</p>
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
        <button type="button" className="button button-primary" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </Dialog>
  );
}
