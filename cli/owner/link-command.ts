/** `holdfast link`: prints a link for a browser, for people, for another device or for the relay's owner. */
import { qrLines } from '../../client/qr/qr-code.ts';
import { print, say } from '../../node/print.ts';
import { OWNER_MADE_LINK_MAX_S } from '../../protocol/limits.ts';
import { readCode, readToken } from '../../protocol/owner-answers.ts';
import { clientRoleSchema } from '../../protocol/roles.ts';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import { askRelay } from '../client/api-request.ts';
import type { Command, Input } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { readLifetime } from '../command-line/lifetime.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { findOwner, OWNER_OPTIONS, type OwnedRelay } from './find-owner.ts';
import { askAsOwner, expected } from './owner-request.ts';

/** A shorter one would expire on its way. The relay's own minimum. */
const LINK_MIN_S = 60;

/** The workspace of the agent that `holdfast up` and `npm start` run. */
const OWN_MACHINE = 'local';

export const linkCommand: Command = {
  name: 'link',
  summary: 'make a link that opens a terminal in a browser',
  about: `Prints a link that opens the terminals of one machine, as often as it is opened until it expires. With --qr, the link is
also shown as a QR code, works once and within a minute; the login it gives lasts as long as --expires says. With
--owner, it logs in the owner of the relay. Run it where \`holdfast up\` or \`holdfast deploy\` ran.`,
  options: {
    machine: { value: '<name>', meaning: `the machine, default: ${OWN_MACHINE}, where \`holdfast up\` runs` },
    role: { value: '<role>', meaning: 'operator: may do everything; viewer: watches; default: operator' },
    expires: { value: '<time>', meaning: 'how long: 90s, 15m, 12h or 30d at most, default: 12h' },
    name: { value: '<name>', meaning: 'who it is for: the name that others see' },
    qr: { meaning: 'for a phone: a QR code, used once, within a minute' },
    owner: { meaning: 'for the owner of the relay: used once, within 10 minutes' },
    ...OWNER_OPTIONS,
  },
  examples: [
    ['holdfast link --qr', 'continue on your phone'],
    ['holdfast link --machine build-7 --role viewer --expires 2h --name Ann', 'let Ann watch build-7'],
    ['holdfast link --owner', 'log in as the owner'],
  ],
  async run(input) {
    const wanted = readWanted(input);
    const owned = await findOwner(input);
    const link = await linkFor(owned, wanted, input);
    print(link);
    if (input.has('qr')) print(qrLines(link).join('\n'));
    if (input.has('owner')) say('It works once, within 10 minutes.');
    else if (input.has('qr')) say('It works once, within a minute.');
    return EXIT.ok;
  },
};

interface Wanted {
  readonly machine: string;
  readonly body: { readonly role: string; readonly seconds: number; readonly name?: string };
}

function readWanted(input: Input): Wanted {
  const machine = input.text('machine') ?? OWN_MACHINE;
  if (!WORKSPACE_NAME.test(machine))
    throw new UsageError('--machine needs a name of 1 to 64 letters, digits, - and _');
  const role = input.text('role') ?? 'operator';
  if (!clientRoleSchema.options.some((one) => one === role))
    throw new UsageError('--role must be operator or viewer');
  const name = input.text('name');
  const seconds = readLifetime(input.text('expires') ?? '12h');
  if (seconds < LINK_MIN_S || seconds > OWNER_MADE_LINK_MAX_S)
    throw new UsageError('--expires must be between 1m and 30d');
  return { machine, body: { role, seconds, ...(name === undefined ? {} : { name }) } };
}

async function linkFor(owned: OwnedRelay, { machine, body }: Wanted, input: Input): Promise<string> {
  const { origin } = owned.relay;
  if (input.has('owner')) {
    const code = await askAsOwner(owned, '/api/owner/links', readCode);
    return `${origin}/#owner=${code}`;
  }
  const token = await askAsOwner(owned, `/api/owner/machines/${machine}/links`, readToken, {
    method: 'POST',
    body,
  });
  if (!input.has('qr')) return `${origin}/w/${machine}#token=${token}`;
  const request = { method: 'POST', authorization: `Bearer ${token}`, body: {} } as const;
  const answer = await askRelay(owned.relay, `/api/workspaces/${machine}/device-codes`, request);
  return `${origin}/w/${machine}#code=${expected(readCode(answer))}`;
}
