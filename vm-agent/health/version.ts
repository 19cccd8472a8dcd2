/** The version `/health` tells; the build puts package.json's here, a run from source has none. */
declare const __VERSION__: string | undefined;

export const AGENT_VERSION: string = typeof __VERSION__ === 'undefined' ? 'source' : __VERSION__;
