/** What a share link lets people do, as the page and the command line say it before one is made. */
import type { ClientRole } from '../../protocol/roles.ts';

export function accessSentence(role: ClientRole, isForOne: boolean): string {
  return ACCESS[role][isForOne ? 'one' : 'all'];
}

const RUNS_ANYTHING =
  'In a shell they can run anything on the machine as its user, and reach what that user can reach.';

const ACCESS: Readonly<Record<ClientRole, { readonly one: string; readonly all: string }>> = {
  viewer: {
    one: 'Whoever opens the link sees this session and what it has printed before. They cannot type, and see no other session.',
    all: 'Whoever opens the link sees every session, also those that are opened later. They cannot type.',
  },
  operator: {
    one: `Whoever opens the link sees this session and types in it. Other sessions are not shown. ${RUNS_ANYTHING}`,
    all: `Whoever opens the link sees every session, types in them, and opens and ends terminals. ${RUNS_ANYTHING}`,
  },
};
