/** The version `/health` tells; the build puts package.json's here. */
declare const __VERSION__: string;

export const VERSION: string = __VERSION__;
