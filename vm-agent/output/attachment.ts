/** Somebody who watches a session, and may type into it. */
import type { ClientRole } from '../../protocol/messages.ts';

export interface Attachment {
  readonly channel: number;
  readonly role: ClientRole;
  /** The page load (or process) behind the channel; its input is counted by it, over reconnects. */
  readonly instance: string;
  /** Whether it is shown a screen with the history above it, without, or before it. */
  readonly history: 'all' | 'none' | 'later';
  /** Whether it is told what runs in the session as that changes. */
  readonly describe?: boolean;
}
