/** The first stage: Host, Origin, headers and body of a request, all checked before any work is done. */
export { createFrontDoor, parseJson, readJson } from '@parley/kit/inbound';
export type { AllowedNames } from '@parley/kit/inbound';
