/** What the object of a workspace is configured with. */
import type { FleetSettings } from './machine-reports.ts';
import type { PushSettings } from './pushes.ts';

/** The settings that the object itself reads. */
export interface WorkspaceEnv extends PushSettings, FleetSettings {
  /**
   * Set when one process serves all workspaces: the object then answers and counts heartbeats itself. Its value is the
   * scheme of the relay's own address, `http` or `https`.
   */
  readonly SELF_HOSTED?: string;
}
