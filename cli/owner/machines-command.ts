/** `holdfast machines`: lists the machines of a relay with their state, renames and removes them. */
import { print, printJson, say } from '../../node/print.ts';
import { inOrder } from '../../protocol/machine-order.ts';
import { readMachine, readMachines } from '../../protocol/owner-answers.ts';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import type { Command, Input } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { findOwner, OWNER_OPTIONS, type OwnedRelay } from './find-owner.ts';
import { machineTable } from './machine-table.ts';
import { askAsOwner } from './owner-request.ts';

export const machinesCommand: Command = {
  name: 'machines',
  summary: 'list, rename and remove the machines of your relay',
  operands: '[rename|remove] [<machine>] [<name>]',
  about: `Lists the machines of the relay, those that want attention first: whether they are online, their sessions and the
version of their agent. \`rename\` gives a machine another name in this list and on the owner's page; without a name, it
is called by its own again. \`remove\` disconnects a machine that was invited and revokes its credential. Run it where
\`holdfast up\` or \`holdfast deploy\` ran: it needs the key of the relay's owner.`,
  options: {
    json: { meaning: 'print the machines as the relay tells them: {machines}' },
    ...OWNER_OPTIONS,
  },
  examples: [
    ['holdfast machines', 'all machines, with their state'],
    ["holdfast machines rename build-7 'The fast one'", 'the name that people see'],
    ['holdfast machines remove build-7', 'it has to be invited to come back'],
  ],
  async run(input) {
    const act = actionOf(input);
    await act(await findOwner(input));
    return EXIT.ok;
  },
};

function actionOf(input: Input): (owned: OwnedRelay) => Promise<void> {
  const [what, machine, name] = input.operands;
  if (what === undefined) return (owned) => list(owned, input.has('json'));
  if (what !== 'rename' && what !== 'remove')
    throw new UsageError(`${JSON.stringify(what)} is no action; use rename or remove`);
  if (machine === undefined || !WORKSPACE_NAME.test(machine))
    throw new UsageError(`${what} needs the name of a machine: 1 to 64 letters, digits, - and _`);
  if (what === 'rename') return (owned) => rename(owned, machine, name ?? null);
  if (name !== undefined) throw new UsageError(`unexpected argument "${name}"`);
  return (owned) => remove(owned, machine);
}

async function list(owned: OwnedRelay, asJson: boolean): Promise<void> {
  const machines = inOrder(await askAsOwner(owned, '/api/owner/machines', readMachines, { method: 'GET' }));
  if (asJson) printJson({ machines }, 2);
  else if (machines.length > 0) print(machineTable(machines, new Date()));
  else say('holdfast: no machine has joined yet; `holdfast invite` lets one join');
}

async function rename(owned: OwnedRelay, machine: string, displayName: string | null): Promise<void> {
  const path = `/api/owner/machines/${machine}`;
  const renamed = await askAsOwner(owned, path, readMachine, { method: 'PATCH', body: { displayName } });
  say(`holdfast: ${machine} is called ${JSON.stringify(renamed.displayName ?? machine)} now`);
}

async function remove(owned: OwnedRelay, machine: string): Promise<void> {
  await askAsOwner(owned, `/api/owner/machines/${machine}`, () => true, { method: 'DELETE' });
  say(`holdfast: ${machine} is removed`);
}
