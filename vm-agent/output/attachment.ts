/** One client that watches a session. It may also type if its role allows. */
import type { ClientRole } from '../../protocol/roles.ts';

/** How much of a session's description a client wants. */
export type Describing = boolean | 'attention';

export interface Attachment {
  readonly channel: number;
  readonly role: ClientRole;
  /**
   * The page load or client process behind the channel. Input is counted per instance, so the count survives
   * reconnects.
   */
  readonly instance: string;
  /** Whether it gets the screen with its history, without it, or with the history sent later. */
  readonly history: 'all' | 'none' | 'later';
  /** Whether it is told when its description changes: all of it, or only when the attention does. */
  readonly describe?: Describing;
  /** Who it is, as the relay says; undefined if it did not. */
  readonly name?: string | undefined;
  /** Its input is that of a script, which may not type while an assistant does. */
  readonly isScript?: boolean;
  /** The assistant for which the script types; undefined if it types for none. */
  readonly assistant?: string | undefined;
}
