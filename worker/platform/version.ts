/** The version `/health` tells; the build puts package.json's here. */
declare const __VERSION__: string;

export const PRODUCT_VERSION: string = __VERSION__;
