/** What a notification about a session says, and which page a click on it shows. Pure. */
import { notificationTag, type PushNote } from '../../../protocol/messages/push-note.ts';
import { attentionText, WANTS } from '../text/attention-text.ts';

/** In web/public; its name changes with its content. */
export const NOTIFICATION_ICON = '/assets/icon-1-192.png';

export interface SessionNotification {
  readonly title: string;
  readonly body: string;
  /** A notification with the same tag replaces it, without another sound. */
  readonly tag: string;
}

/** The page shows the same while it is open and hidden. */
export function notificationOf({
  session,
  name,
  state,
  text,
}: Pick<PushNote, 'session' | 'name' | 'state' | 'text'>): SessionNotification {
  const body = attentionText({ state, text });
  return { title: `${name} ${WANTS[state]}`, body, tag: notificationTag(session) };
}

/** What a click on a notification tells an open page. */
export interface ShowSession {
  readonly type: 'show_session';
  readonly session: string;
}

export function readShowSession(value: unknown): ShowSession | null {
  const { type, session } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Partial<ShowSession>;
  return type === 'show_session' && typeof session === 'string' ? { type, session } : null;
}

/** Where a page shows this session, if none is open. */
export const addressOf = (place: string, session: string): string =>
  `${place}?session=${encodeURIComponent(session)}`;

/** An open window, as a service worker sees it. */
export interface OpenWindow {
  readonly url: string;
  readonly visibilityState: string;
  readonly focused: boolean;
}

/**
 * The windows that show the page at `place`. A service worker also gets those of workspaces whose name only begins like
 * its own: its scope is the beginning of an address.
 */
export function pagesAt<W extends Pick<OpenWindow, 'url'>>(windows: readonly W[], place: string): W[] {
  return windows.filter(({ url }) => new URL(url).pathname.replace(/\/$/, '') === place);
}

/** The one to show: where somebody was last, if that is known. */
export function windowToShow<W extends OpenWindow>(pages: readonly W[]): W | undefined {
  return (
    pages.find(({ focused }) => focused) ??
    pages.find(({ visibilityState }) => visibilityState === 'visible') ??
    pages[0]
  );
}
