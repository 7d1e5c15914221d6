// The tree over the topics. Its first nodes are the topics, and each merge makes one more, a group.

const merges = data.tree?.merges ?? [];
const nodes = Array.from({length: numTopics + merges.length}, (_, node) => node);
const parentOf = new Int32Array(nodes.length).fill(-1);
merges.forEach((pair, at) => { for (const node of pair) parentOf[node] = numTopics + at; });

const isGroup = (node) => node >= numTopics;
const sizeOf = (node) => (isGroup(node) ? data.tree.sizes[node] : data.topics[node].size);
const titleOf = (node) => (isGroup(node) ? data.tree.names[node] : `${node} ${topicNames[node]}`);
const placeOf = (node) => (isGroup(node) ? data.tree.places[node] : data.topics[node].place);
const boundsOf = (node) => (isGroup(node) ? data.tree.bounds[node] : data.topics[node].bounds);

// The two nodes that a group was made of, the larger first.
function childrenOf(group) {
  const [one, other] = merges[group - numTopics];
  return sizeOf(other) > sizeOf(one) ? [other, one] : [one, other];
}

// The topics of a node, in the order of the tree.
const topicLists = [];
for (const node of nodes) {
  topicLists.push(isGroup(node) ? childrenOf(node).flatMap((child) => topicLists[child]) : [node]);
}
const topicsOf = (node) => [...topicLists[node]];

const roots = merges.length ? [nodes.length - 1] : nodes;
const byTree = roots.flatMap(topicsOf);

// The group that a topic is in when all topics are cut into so many.
function groupAt(topic, numGroups) {
  const end = nodes.length - (numGroups - 1); // from this node on, groups are cut
  let node = topic;
  while (parentOf[node] >= 0 && parentOf[node] < end) node = parentOf[node];
  return node;
}

const groupsAt = (numGroups) => [...new Set(byTree.map((topic) => groupAt(topic, numGroups)))];

// Cut by cut, the larger part of a group keeps its color and the other one takes the next. So the
// first colors, which differ most, are those of few groups, and moving the cut changes no others.
const swatchOf = Int32Array.from(nodes);
if (merges.length) {
  let next = 0;
  swatchOf[nodes.length - 1] = next++;
  for (let group = nodes.length - 1; isGroup(group); group--) {
    const [larger, smaller] = childrenOf(group);
    swatchOf[larger] = swatchOf[group];
    swatchOf[smaller] = next++;
  }
}
