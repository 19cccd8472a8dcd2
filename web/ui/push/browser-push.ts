/** Subscribes this browser to pushes, with its own service worker for each workspace. */
import { decodeBase64url, encodeBase64url } from '../../../protocol/base64url.ts';
import { ownRegistration, placeOf } from './own-registration.ts';
import type { PushBrowser } from './push-switch.ts';

/** The length of a public key of P-256, as browsers take it. */
const KEY_BYTES = 65;

/** Null where the browser has no pushes: an old one, one without https, or an iPhone whose page is not installed. */
export function browserPush(workspace: string): PushBrowser | null {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return null;
  const place = placeOf(workspace);
  const subscription = async () =>
    (await (await ownRegistration(workspace))?.pushManager.getSubscription()) ?? null;
  return {
    get permission() {
      return Notification.permission;
    },
    ask: async () => Notification.requestPermission(),
    async current(key) {
      const found = await subscription();
      return found !== null && keyOf(found) === key ? found.toJSON() : null;
    },
    async subscribe(key) {
      // One that was made with another key is of no use, and in the way.
      await (await subscription())?.unsubscribe();
      await serviceWorker.register(`${place}/service-worker.js`, { scope: place, updateViaCache: 'none' });
      const registration = await active(await ownRegistration(workspace));
      const applicationServerKey = decodeBase64url(key, KEY_BYTES);
      const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
      return made.toJSON();
    },
    async unsubscribe() {
      await (await subscription())?.unsubscribe();
    },
  };
}

function keyOf({ options: { applicationServerKey } }: PushSubscription): string | null {
  return applicationServerKey === null ? null : encodeBase64url(new Uint8Array(applicationServerKey));
}

/** Only an active service worker can subscribe. `ready` may never come: this page may be that of another scope. */
async function active(
  registration: ServiceWorkerRegistration | undefined,
): Promise<ServiceWorkerRegistration> {
  const starting = registration?.installing ?? registration?.waiting ?? null;
  if (registration === undefined) throw new Error('The browser did not keep the service worker.');
  if (registration.active !== null || starting === null) return registration;
  return new Promise((resolve, reject) => {
    starting.addEventListener('statechange', () => {
      if (starting.state === 'activated') resolve(registration);
      if (starting.state === 'redundant') reject(new Error('The browser did not start the service worker.'));
    });
  });
}
