/** The topic of every change that may alter what a caller can do. */
export const IDENTITY_CHANGED = 'identity.changed';
