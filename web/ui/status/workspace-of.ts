/** Finds the workspace in the status page's URL. */
import { WORKSPACE_NAME } from '../../../protocol/token.ts';

/** The workspace in `/status/:workspace`; null at `/status` itself, which is about the relay. */
export function workspaceOfStatus(pathname: string): string | null {
  const name = /^\/status\/([^/]+)\/?$/.exec(pathname)?.[1];
  return name !== undefined && WORKSPACE_NAME.test(name) ? name : null;
}
