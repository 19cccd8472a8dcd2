/**
 * The page's service worker. It shows a notification when a push arrives and no page of the workspace is visible, and
 * shows the session when somebody clicks on it. It handles no requests and caches nothing.
 */
import { readPushNote } from '../../../protocol/messages/push-note.ts';
import {
  addressOf,
  NOTIFICATION_ICON,
  notificationOf,
  type OpenWindow,
  pagesAt,
  type ShowSession,
  windowToShow,
} from './notification.ts';

// The compiler has the types of a page here; these are the parts of a service worker that are used.
interface LastingEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface PushEvent extends LastingEvent {
  readonly data: { json(): unknown } | null;
}
interface ClickEvent extends LastingEvent {
  readonly notification: Notification;
}
interface WindowClient extends OpenWindow {
  focus(): Promise<unknown>;
  postMessage(message: ShowSession): void;
}
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: object): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', heard: (event: LastingEvent) => void): void;
  addEventListener(type: 'push', heard: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', heard: (event: ClickEvent) => void): void;
}

const worker = self as unknown as WorkerScope;

/** `/w/local` */
const place = new URL(worker.registration.scope).pathname;

const pages = async () =>
  pagesAt(await worker.clients.matchAll({ type: 'window', includeUncontrolled: true }), place);

async function show(data: PushEvent['data']): Promise<void> {
  const note = readPushNote(contentOf(data));
  if (note === null || `/w/${note.workspace}` !== place) return;
  // Whoever looks at the page sees it there.
  if ((await pages()).some(({ visibilityState }) => visibilityState === 'visible')) return;
  const { title, body, tag } = notificationOf(note);
  const { session } = note;
  await worker.registration.showNotification(title, {
    body,
    tag,
    icon: NOTIFICATION_ICON,
    data: { session },
  });
}

function contentOf(data: PushEvent['data']): unknown {
  try {
    return data?.json();
  } catch {
    return null;
  }
}

async function open({ session }: { readonly session: string }): Promise<void> {
  const page = windowToShow(await pages());
  if (page === undefined) return void (await worker.clients.openWindow(addressOf(place, session)));
  page.postMessage({ type: 'show_session', session });
  await page.focus();
}

// A new version has no reason to wait for pages of an older one: it shares nothing with them.
worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('push', (event) => event.waitUntil(show(event.data)));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
