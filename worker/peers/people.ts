/**
 * Who watches a session, by name, and who is told. Pure. A person is a name in a token, or a token without a name; the
 * id of a token is never told. Rules PP1 to PP4.
 */
import { PEOPLE_MAX, PERSON_NAME_MAX_CHARS } from '../../protocol/limits.ts';
import type { Person } from '../../protocol/messages/people.ts';
import { printable } from '../../protocol/printable.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { ClientPeer, Credential } from './peer.ts';

/** Whoever asks, or is told. */
export interface Audience {
  readonly role: string;
  readonly credential: Credential;
  /** The only session that it sees; absent for all. */
  readonly session?: string | undefined;
}

/** These may list the sessions of a workspace. */
const TOLD: ReadonlySet<string> = new Set<ClientRole>(['operator', 'viewer']);

/** Whether a client may know who watches a session. Whoever is not named here may not. [PP4] */
export function mayKnowPeople({ role, session: only }: Audience, session: string): boolean {
  return TOLD.has(role) && (only === undefined || only === session);
}

interface Group {
  readonly key: string;
  readonly name: string | undefined;
  role: ClientRole;
  driving: boolean;
}

/** The clients that watch each session. */
export function watchersOf(clients: Iterable<ClientPeer>): Map<string, ClientPeer[]> {
  const watchers = new Map<string, ClientPeer[]>();
  for (const peer of clients)
    for (const session of peer.watching ?? []) {
      const others = watchers.get(session);
      if (others === undefined) watchers.set(session, [peer]);
      else others.push(peer);
    }
  return watchers;
}

/** One person, for everybody; `key` is the same for all windows of a person. */
export interface Watcher {
  readonly key: string;
  readonly person: Person;
}

/** The people behind the clients that watch a session, in the order in which they came; the first, if there are many. */
export function peopleOf(watchers: readonly ClientPeer[], session: string): Watcher[] {
  const groups = [...groupsOf(watchers, session).values()].slice(0, PEOPLE_MAX);
  const nameless: Record<ClientRole, number> = { operator: 0, viewer: 0 };
  return groups.map(({ key, name, role, driving }) => ({
    key,
    person: { name: name ?? numbered(role, ++nameless[role]), role, ...(driving ? { driving } : {}) },
  }));
}

/** As they are told to one of them, or to somebody else. */
export function toldTo({ credential }: Pick<Audience, 'credential'>, people: readonly Watcher[]): Person[] {
  const own = personKey(credential);
  return people.map(({ key, person }) => (key === own ? { ...person, you: true } : person));
}

function groupsOf(watchers: readonly ClientPeer[], session: string): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const { credential, drives, role } of watchers.toSorted((a, b) => a.connectedAt - b.connectedAt)) {
    const key = personKey(credential);
    const group = groups.get(key) ?? { key, name: nameOf(credential), role, driving: false };
    if (role === 'operator') group.role = role;
    group.driving ||= drives?.includes(session) === true;
    groups.set(key, group);
  }
  return groups;
}

/** The same for all windows of a person. */
function personKey(credential: Credential): string {
  const name = nameOf(credential);
  return name === undefined ? `token ${credential.tokenId}` : `name ${name}`;
}

function nameOf({ name = '' }: Credential): string | undefined {
  const shown = printable(name, PERSON_NAME_MAX_CHARS);
  return shown === '' ? undefined : shown;
}

const numbered = (role: ClientRole, nth: number) => (nth === 1 ? role : `${role} ${nth}`);
