/** Notifications of this browser. */
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

/** Returns a function that removes it. */
export function showNotification({ title, body, tag, clicked }: PageNotification): () => void {
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
