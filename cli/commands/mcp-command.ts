/** `holdfast mcp`: the sessions of a workspace as tools of a coding agent, over standard input and output. */
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'let a coding agent use the sessions (MCP over stdio)',
  about: `Serves the sessions of a workspace as tools of the Model Context Protocol, over standard input and output. A coding
agent starts it by itself; docs/assistants.md shows how to set that up. It stays connected, reconnects if the connection
is lost, and ends when its standard input is closed. With the token of a viewer, the agent can read but not type.`,
  options: CLIENT_OPTIONS,
  examples: [['claude mcp add holdfast -- holdfast mcp', 'sets it up in Claude Code']],
  async run(input) {
    const settings = clientSettings(input);
    // The SDK takes a while to load, so other commands do without.
    const { serveWorkspace } = await import('../mcp/serve-workspace.ts');
    await serveWorkspace(settings);
    return EXIT.ok;
  },
};
