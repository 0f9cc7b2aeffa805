/** Routes of the public pages: whether they are on, what they call themselves, and how they look. */
import { nothing, one } from '@parley/http/rest';
import { PatchSettings, PutSiteImage, Settings, SiteImageOrNull } from '../../shapes/inbox.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

export const siteRoutes = [
  defineRoute({
    method: 'GET',
    path: '/settings',
    summary: 'Read the settings',
    who: whoFor(WHO_MAY.settings.get),
    grants: ['boards'],
    answer: one('Settings', Settings),
    run: ({ services, actor }) => services.settings.get(actor.organizationId),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/settings',
    summary: 'Switch the public pages on or off; change their name and colour',
    who: whoFor(WHO_MAY.settings.update),
    grants: ['manage_boards'],
    body: PatchSettings.strict(),
    answer: one('Settings', Settings),
    run: ({ services, actor, body, check }) => services.settings.update(actor, body, check),
  }),
  defineRoute({
    method: 'GET',
    path: '/settings/images/:kind',
    summary: 'Read the logo or favicon of the public pages; null where there is none',
    who: whoFor(WHO_MAY.settings.image),
    grants: ['boards'],
    answer: one('SiteImage', SiteImageOrNull),
    run: ({ services, actor, params }) => services.settings.image(actor, params.kind),
  }),
  defineRoute({
    method: 'PUT',
    path: '/settings/images/:kind',
    summary: 'Set the logo or favicon of the public pages',
    who: whoFor(WHO_MAY.settings.setImage),
    grants: ['manage_boards'],
    body: PutSiteImage.strict(),
    answer: one('Settings', Settings),
    run: ({ services, actor, params, body }) => services.settings.setImage(actor, params.kind, body.data),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/images/:kind',
    summary: 'Take the logo or favicon of the public pages away',
    who: whoFor(WHO_MAY.settings.removeImage),
    grants: ['manage_boards'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.settings.removeImage(actor, params.kind, check),
  }),
];
