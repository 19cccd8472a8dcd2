/**
 * What the agent is told about this client's window on a session: its size, its colours, whether somebody looks, and
 * whether what runs is shown even when nobody does.
 */

import type { Frame, Size } from '../protocol/frame.ts';
import type { ClientMessageOf } from '../protocol/messages/client-message.ts';
import type { Theme } from '../protocol/messages/message-parts.ts';
import { rings } from '../protocol/terminal/rings.ts';
import type { SessionLink } from './session-link.ts';
import type { Unseen } from './session-state.ts';

/** The part of an attach request that is about the window. */
type WindowTerms = Pick<
  ClientMessageOf<'reattach_session'>,
  'cols' | 'describe' | 'hidden' | 'onlyAttention' | 'rows' | 'theme'
>;

/** How much of a session's description is kept up to date: all, only why it wants attention, or nothing. */
export type Describing = boolean | 'attention';

interface WindowOptions {
  readonly session: string;
  /** Null for a client that never decides the terminal's size. */
  readonly size: Size | null;
  readonly isVisible: boolean;
  readonly isDescribed: Describing;
  readonly link: Pick<SessionLink, 'sendMessage' | 'theme'>;
  readonly isAttached: () => boolean;
}

export class SessionWindow {
  readonly #options: WindowOptions;
  #size: Size | null;
  #toldTheme: Theme | undefined;
  #isVisible: boolean;
  #isDescribed: Describing;
  #unseen: Unseen = 'nothing';

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#isVisible = options.isVisible;
    this.#isDescribed = options.isDescribed;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  get isDescribed(): Describing {
    return this.#isDescribed;
  }

  /** What happened since the session was hidden. */
  get unseen(): Unseen {
    return this.#unseen;
  }

  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (isVisible) this.#unseen = 'nothing';
  }

  setDescribed(isDescribed: Describing): void {
    this.#isDescribed = isDescribed;
  }

  /** Something happened in the session. False when somebody looks: the notice was sent before the session was shown. */
  noticed(bell: boolean): boolean {
    if (this.#isVisible) return false;
    if (this.#unseen !== 'bell') this.#unseen = bell ? 'bell' : 'output';
    return true;
  }

  /**
   * True for output from `next` on that nobody looks at. The agent gives no notice of it: it was sent before the agent
   * knew that the session is hidden.
   */
  misses({ kind, offset, payload }: Frame, next: number): boolean {
    if (this.#isVisible || kind !== 'output' || offset + payload.length <= next) return false;
    return this.noticed(rings(payload));
  }

  /** The new size; the terminal follows while this client is the driver. */
  resize(size: Size): void {
    this.#size = size;
    if (this.#isTold) this.#tell(size);
  }

  /** Tells new colours. Without a size they concern no program, because this client never is the driver. [OU18] */
  recolour(): void {
    const theme = this.#options.link.theme();
    if (!this.#isTold || this.#size === null || theme === undefined) return;
    this.#toldTheme = theme;
    this.#tell({ ...this.#size, theme });
  }

  /** Tells the colours if they have changed since the last time. */
  recolourIfUntold(): void {
    if (this.#options.link.theme() !== this.#toldTheme) this.recolour();
  }

  /** Makes this client the driver, whoever typed last. */
  takeOver(): void {
    if (this.#options.isAttached() && this.#size !== null) this.#tell({ ...this.#size, takeOver: true });
  }

  /** Takes the keyboard from the assistant that has it, or hands it back. */
  changeKeyboard(type: 'take_keyboard' | 'hand_back_keyboard'): void {
    const { isAttached, link, session } = this.#options;
    if (isAttached()) link.sendMessage({ type, session });
  }

  /** Asks for no more output until the next attach. */
  hide(): void {
    const { link, session } = this.#options;
    link.sendMessage({ type: 'hide_session', session, ...this.#describe });
  }

  /** For an attach request, which tells the colours too. */
  terms(): WindowTerms {
    const theme = this.#options.link.theme();
    this.#toldTheme = theme;
    return {
      ...(this.#isVisible ? {} : { hidden: true }),
      ...this.#describe,
      ...(this.#size ?? {}),
      ...(theme === undefined ? {} : { theme }),
    };
  }

  get #isTold(): boolean {
    return this.#options.isAttached() && this.#isVisible;
  }

  get #describe(): { describe?: true; onlyAttention?: true } {
    if (this.#isDescribed === 'attention') return { describe: true, onlyAttention: true };
    return this.#isDescribed ? { describe: true } : {};
  }

  #tell(window: Omit<ClientMessageOf<'resize'>, 'session' | 'type'>): void {
    const { link, session } = this.#options;
    link.sendMessage({ type: 'resize', session, ...window });
  }
}
