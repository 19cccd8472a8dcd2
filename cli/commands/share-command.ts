/** `holdfast share`: makes a link that shows one session or all to others; lists such links, and revokes them. */
import { accessSentence } from '../../client/access/share-access.ts';
import { print, printJson, say } from '../../node/print.ts';
import { SHARE_LABEL_MAX_CHARS, SHARE_LINK_MAX_S, SHARE_LINK_MIN_S } from '../../protocol/limits.ts';
import { clientRoleSchema } from '../../protocol/roles.ts';
import { readMadeLink, readShareLinks, type SharedLink, type WantedLink } from '../../protocol/share-link.ts';
import { type ApiRequest, apiRequest } from '../client/api-request.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { sessionMeant } from '../client/find-session.ts';
import { linkMeant, linkTable } from '../client/link-table.ts';
import type { Command, Input } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { readLifetime } from '../command-line/lifetime.ts';
import { UsageError } from '../command-line/usage-error.ts';

export const shareCommand: Command = {
  name: 'share',
  summary: 'make, list and revoke links that show sessions to others',
  operands: '[<session>]',
  about: `Prints a link that shows one session to whoever opens it, as often as it is opened until it expires or is revoked. With
--all, the link shows every session. The link is printed once and stored nowhere. Needs an operator token; when that is
revoked, so are the links that it made.`,
  options: {
    all: { meaning: 'for all sessions, also those that are opened later' },
    role: { value: '<role>', meaning: 'viewer: watches; operator: types; default: viewer' },
    expires: { value: '<time>', meaning: 'how long: 1m to 30d, default: 1d' },
    label: { value: '<text>', meaning: 'who it is for: the name that others see' },
    list: { meaning: 'list the links instead' },
    revoke: { value: '<id>', meaning: 'revoke this link instead: its id or the beginning of one' },
    json: { meaning: 'print the link, or the links, as the HTTP API returns them' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast share build --label Ann', 'let Ann watch the session “build” for a day'],
    ['holdfast share --all --role operator --expires 1h', 'let somebody work with you for an hour'],
    ['holdfast share --list', 'the links that are valid, and when they were used'],
  ],
  async run(input) {
    const settings = clientSettings(input);
    const ask = apiRequest(settings);
    if (input.has('list')) return list(ask, input);
    if (input.text('revoke') !== undefined) return revoke(ask, input);
    const wanted = readWanted(input);
    const [meant] = input.operands;
    if (input.has('all')) {
      if (meant !== undefined) throw new UsageError('give either a session or --all');
      return make(ask, input, wanted);
    }
    const { id } = await withClient(settings, (client) => sessionMeant(client, meant));
    return make(ask, input, { ...wanted, session: id });
  },
};

async function make(ask: ApiRequest, input: Input, wanted: WantedLink): Promise<number> {
  say(accessSentence(wanted.role, wanted.session !== undefined));
  const made = expected(readMadeLink(await ask('share-links', 'POST', wanted)));
  if (input.has('json')) printJson(made, 2);
  else print(made.link);
  return EXIT.ok;
}

async function list(ask: ApiRequest, input: Input): Promise<number> {
  const links = await linksOf(ask);
  if (input.has('json')) printJson({ links }, 2);
  else if (links.length > 0) print(linkTable(links, new Date()));
  if (links.length === 0) say('holdfast: no links; `holdfast share` makes one');
  return EXIT.ok;
}

async function revoke(ask: ApiRequest, input: Input): Promise<number> {
  const { id } = linkMeant(await linksOf(ask), input.text('revoke') ?? '');
  await ask(`share-links/${encodeURIComponent(id)}`, 'DELETE');
  return EXIT.ok;
}

async function linksOf(ask: ApiRequest): Promise<readonly SharedLink[]> {
  return expected(readShareLinks(await ask('share-links')));
}

/** `read` is null for what is no answer of a relay that knows links. */
function expected<T>(read: T | null): T {
  if (read !== null) return read;
  throw new CommandError(EXIT.failed, 'the relay sent an unexpected answer; it may be an older version');
}

function readWanted(input: Input): Omit<WantedLink, 'session'> {
  const given = input.text('role') ?? 'viewer';
  const role = clientRoleSchema.options.find((one) => one === given);
  if (role === undefined) throw new UsageError('--role must be operator or viewer');
  const seconds = readLifetime(input.text('expires') ?? '1d');
  if (seconds < SHARE_LINK_MIN_S || seconds > SHARE_LINK_MAX_S)
    throw new UsageError('--expires must be between 1m and 30d');
  const label = input.text('label');
  if (label !== undefined && label.length > SHARE_LABEL_MAX_CHARS)
    throw new UsageError(`--label takes at most ${SHARE_LABEL_MAX_CHARS} characters`);
  return { role, seconds, ...(label === undefined ? {} : { label }) };
}
