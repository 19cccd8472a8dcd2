/** The version shown by `/health`. The build inserts the one of package.json; a run from source has none. */
declare const __VERSION__: string | undefined;

export const AGENT_VERSION: string = typeof __VERSION__ === 'undefined' ? 'source' : __VERSION__;
