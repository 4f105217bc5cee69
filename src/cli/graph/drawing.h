// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/graph/text_form.h"

/// Pictures of graphs. All names come from model files and are escaped.
namespace coracle::cli {

/// Nodes [begin, end) of a graph that are shown together.
struct Group {
  size_t begin = 0;
  size_t end = 0;
};

/// Splits a graph where few values cross from one group to the next; a node with regions is a group of its own.
std::vector<Group> groups_of(const GraphText& graph);
/// "conv2d, add, relu, ...": what a group does, and where it stands.
std::string group_title(const GraphText& graph, const Group& group);

/// The language of Graphviz: a cluster for each group and region, an edge for each use of a value, with its type.
std::string graph_dot(const GraphText& graph);

/// One box per group, one below the other, within each the nodes in layers; what comes from other groups than the one
/// above is named where it is used. Each box is a <g> with its height, for pages that fold them.
std::string graph_svg(const GraphText& graph);

/// A page of its own, which loads nothing: the drawing with search, zoom and groups that fold.
std::string graph_html(const GraphText& graph, const std::string& title);

std::string xml_escaped(const std::string& text);

}  // namespace coracle::cli
