/** The console: a chat with any model in any of the four formats, and what an operator of the gateway looks at. */

import { render } from 'preact';
import { createChat } from './chat/chat.ts';
import { followModels } from './models/models.ts';
import { openSession } from './session/session.ts';
import { App } from './shell/app.tsx';
import { followRoute } from './shell/route.ts';
import { openConversations } from './store/conversations.ts';

const host = document.getElementById('console');
if (host === null) throw new Error('The page has no place for the console.');

const session = openSession();
const catalog = followModels(session);
const chat = createChat(session, catalog.models, openConversations());
render(<App session={session} catalog={catalog} chat={chat} route={followRoute()} />, host);
