/** Notifications of this browser. */
import { NOTIFICATION_ICON } from '../push/notification.ts';
import { ownRegistration } from '../push/own-registration.ts';
import type { PageNotification } from './page-notifier.ts';

export type NotificationPermit = 'granted' | 'denied' | 'default' | 'unsupported';

/** Browsers have them only on https and on loopback; those of phones only for installed pages. */
export function notificationPermit(): NotificationPermit {
  return 'Notification' in globalThis ? Notification.permission : 'unsupported';
}

/** Asks the person, unless they have answered before. Must run while a click is handled. */
export async function askForNotifications(): Promise<NotificationPermit> {
  return 'Notification' in globalThis ? Notification.requestPermission() : 'unsupported';
}

/**
 * Shows a notification of the page, and returns a function that removes it. If the page has a service worker, that one
 * shows it: a push about the same moment then replaces it, and a click shows the session as that of a push does.
 * Browsers do not let a page's own notification and one of a service worker replace each other.
 */
export function showNotification(workspace: string, notification: PageNotification): () => void {
  let isWanted = true;
  let remove = () => {};
  void ownRegistration(workspace).then(
    (registration) => {
      if (!isWanted) return;
      if (registration?.active == null) remove = showByPage(notification);
      else remove = showByWorker(registration, notification);
    },
    () => {},
  );
  return () => {
    isWanted = false;
    remove();
  };
}

function showByWorker(
  registration: ServiceWorkerRegistration,
  { title, body, tag, session }: PageNotification,
): () => void {
  const icon = NOTIFICATION_ICON;
  // Rejects if the person has withdrawn the permission.
  void registration.showNotification(title, { body, tag, icon, data: { session } }).catch(() => {});
  return () => {
    const close = (shown: readonly Notification[]) => {
      for (const one of shown) one.close();
    };
    void registration.getNotifications({ tag }).then(close, () => {});
  };
}

function showByPage({ title, body, tag, clicked }: PageNotification): () => void {
  try {
    const shown = new Notification(title, { body, tag });
    shown.onclick = () => {
      globalThis.focus();
      shown.close();
      clicked();
    };
    return () => shown.close();
  } catch {
    // Browsers of phones leave them to service workers.
    return () => {};
  }
}
