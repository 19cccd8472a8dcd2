/** Serves the tools over standard input and output, until the program at the other end closes them. */
import { serveOverStdio } from '../../mcp/sdk/stdio.ts';
import { say } from '../../node/print.ts';
import { productVersion } from '../../node/product-version.ts';
import { printable } from '../../protocol/printable.ts';
import type { ClientSettings } from '../client/client-settings.ts';
import { connectToWorkspace, reached } from '../client/connect.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { cliHost } from './cli-host.ts';

export async function serveWorkspace(settings: ClientSettings): Promise<void> {
  const connection = connectToWorkspace(settings);
  const closed = serveOverStdio(cliHost(settings, connection), {
    version: await productVersion(),
    onError: (error) => say(`holdfast mcp: ${printable(error.message)}`),
  });
  try {
    await Promise.race([closed, firstReached(connection, settings.relay).then(() => closed)]);
  } finally {
    connection.client.leave();
  }
}

/** A token that is refused does not get better. A relay that cannot be reached now may be reached later. */
async function firstReached(connection: Parameters<typeof reached>[0], relay: URL): Promise<void> {
  try {
    await reached(connection, relay);
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode === EXIT.notAllowed) throw error;
    say(`holdfast mcp: ${error.message}`);
  }
}
