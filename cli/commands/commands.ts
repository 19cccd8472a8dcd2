/** The list of all commands. */

import { agentCommand } from '../agent/agent-command.ts';
import { agentKeyCommand } from '../agent/agent-key-command.ts';
import { joinCommand } from '../agent/join-command.ts';
import type { Command } from '../command-line/command.ts';
import { deployCommand } from '../deploy/deploy-command.ts';
import { inviteCommand } from '../owner/invite-command.ts';
import { linkCommand } from '../owner/link-command.ts';
import { machinesCommand } from '../owner/machines-command.ts';
import { downCommand } from '../up/down-command.ts';
import { upCommand } from '../up/up-command.ts';
import { attachCommand } from './attach-command.ts';
import { auditCommand } from './audit-command.ts';
import { commandsCommand } from './commands-command.ts';
import { completionCommand } from './completion-command.ts';
import { digestCommand } from './digest-command.ts';
import { killCommand } from './kill-command.ts';
import { lsCommand } from './ls-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { newCommand } from './new-command.ts';
import { notifyCommand } from './notify-command.ts';
import { relayCommand } from './relay-command.ts';
import { runCommand } from './run-command.ts';
import { sendCommand } from './send-command.ts';
import { shareCommand } from './share-command.ts';
import { snapshotCommand } from './snapshot-command.ts';
import { tokenCommand } from './token-command.ts';
import { waitCommand } from './wait-command.ts';

export const COMMANDS: readonly Command[] = [
  lsCommand,
  newCommand,
  attachCommand,
  runCommand,
  sendCommand,
  snapshotCommand,
  commandsCommand,
  waitCommand,
  killCommand,
  digestCommand,
  auditCommand,
  shareCommand,
  mcpCommand,
  upCommand,
  downCommand,
  inviteCommand,
  joinCommand,
  linkCommand,
  machinesCommand,
  deployCommand,
  relayCommand,
  agentCommand,
  tokenCommand,
  agentKeyCommand,
  notifyCommand,
  completionCommand(() => COMMANDS),
];
