/** One client that watches a session. It may also type if its role allows. */
import type { ClientRole } from '../../protocol/roles.ts';

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
  /** Whether it is told when the title, the foreground program or the progress changes. */
  readonly describe?: boolean;
}
