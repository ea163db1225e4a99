import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './page.css';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { blank, tour } from './tour.js';

const endpoint = new URL('/graphql', window.location.href);
const socket = new URL(endpoint);
socket.protocol = endpoint.protocol === 'https:' ? 'wss:' : 'ws:';

const fetcher = createGraphiQLFetcher({ url: endpoint.href, subscriptionUrl: socket.href });

createRoot(document.getElementById('graphiql')).render(
  <GraphiQL
    fetcher={fetcher}
    defaultTabs={tour}
    defaultQuery={blank}
    defaultEditorToolsVisibility="variables"
  >
    <GraphiQL.Logo>
      <span className="product">Mneme</span>
    </GraphiQL.Logo>
  </GraphiQL>,
);
