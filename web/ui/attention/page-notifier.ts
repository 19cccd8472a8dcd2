/**
 * Decides which notifications the page shows: one for each moment at which a session begins to want attention while the
 * page is hidden. What happened while it was visible was seen there. Pure; the browser is passed in.
 */
import type { Attention } from '../../../protocol/messages/attention.ts';
import { notificationOf, type SessionNotification } from '../push/notification.ts';

/** A tab whose session wants attention. */
export interface WantingTab {
  readonly key: string;
  readonly session: string;
  readonly name: string;
  readonly attention: Attention;
}

export interface PageNotification extends SessionNotification {
  readonly session: string;
  readonly clicked: () => void;
}

interface NotifierOptions {
  /** Whether the person wants to be notified of this session, and can be. */
  readonly mayNotify: (session: string) => boolean;
  readonly isHidden: () => boolean;
  /** Shows it; the result removes it. */
  readonly show: (notification: PageNotification) => () => void;
  /** Shows a tab, and the page. */
  readonly open: (key: string) => void;
}

interface Told {
  readonly at: string;
  readonly remove: () => void;
}

export class PageNotifier {
  readonly #options: NotifierOptions;
  /** The last moment of each session that wants attention, whether it was shown or not. */
  readonly #told = new Map<string, Told>();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** All tabs whose sessions want attention now. */
  update(wanting: readonly WantingTab[]): void {
    const sessions = new Set(wanting.map(({ session }) => session));
    for (const [session, { remove }] of this.#told) {
      if (sessions.has(session)) continue;
      remove();
      this.#told.delete(session);
    }
    for (const tab of wanting) {
      const before = this.#told.get(tab.session);
      if (before?.at === tab.attention.at) continue;
      const remove = this.#show(tab) ?? before?.remove ?? (() => {});
      this.#told.set(tab.session, { at: tab.attention.at, remove });
    }
  }

  /** The page is left. */
  stop(): void {
    this.update([]);
  }

  #show({ key, session, name, attention }: WantingTab): (() => void) | null {
    const { isHidden, mayNotify, open, show } = this.#options;
    if (!isHidden() || !mayNotify(session)) return null;
    return show({
      ...notificationOf({ session, name, ...attention }),
      session,
      clicked: () => open(key),
    });
  }
}
