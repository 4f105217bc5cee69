// SPDX-License-Identifier: Apache-2.0
#include "cli/graph/drawing.h"

namespace coracle::cli {
namespace {

constexpr const char* kPageStyle = R"(
html,body{margin:0;height:100%;overflow:hidden;font:13px sans-serif;color:#1b2733}
#bar{position:fixed;left:0;right:0;top:0;height:36px;padding:0 10px;display:flex;gap:8px;align-items:center;background:#fff;
border-bottom:1px solid #c3ccd8;z-index:1}
#bar b{flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
#drawing{position:fixed;top:37px;left:0;right:0;bottom:0;cursor:grab}
#drawing svg{width:100%;height:100%;display:block}
#details{position:fixed;right:0;bottom:0;max-width:45%;max-height:50%;overflow:auto;margin:0;padding:10px;background:#fff;
border:1px solid #c3ccd8;font:12px monospace;white-space:pre-wrap;display:none;z-index:1}
.head{cursor:pointer}.node,.value{cursor:pointer}g.node.found rect{fill:#ffe9a8}.current rect{stroke:#d2691e;stroke-width:3}
.folded .body{display:none}
)";

// Folding changes heights from the inside out; what stands below moves up.
constexpr const char* kScript = R"(
const svg=document.querySelector('svg'),view=document.getElementById('view'),details=document.getElementById('details');
const search=document.getElementById('search'),count=document.getElementById('count');
svg.removeAttribute('viewBox');svg.removeAttribute('width');svg.removeAttribute('height');
let scale=1,left=20,top0=20;
const show=()=>view.setAttribute('transform',`translate(${left},${top0}) scale(${scale})`);
const children=(e,name)=>[...e.children].filter(c=>c.classList.contains(name));
function stack(s){let y=0;for(const b of children(s,'box')){const h=box(b);
b.setAttribute('transform',`translate(${b.dataset.x},${y})`);y+=h+40}return y-40}
function box(b){const full=+b.dataset.h,body=children(b,'body')[0];if(!body)return full;let h=full;
if(b.classList.contains('folded'))h=22;else{const r=children(body,'regions')[0];if(r){let tallest=0,before=0;
for(const g of r.children)for(const s of children(g,'stack')){s.dataset.full=s.dataset.full||stackFull(s);
before=Math.max(before,+s.dataset.full);tallest=Math.max(tallest,stack(s))}h=full-before+tallest}}
children(b,'frame')[0].setAttribute('height',h);return h}
function stackFull(s){return children(s,'box').reduce((y,b)=>y+ +b.dataset.h+40,-40)}
const all=()=>stack(view.firstElementChild);
const fold=(b,f)=>b.classList.toggle('folded',f);
const boxes=()=>[...view.querySelectorAll('.box')].filter(b=>children(b,'body').length);
function centre(e){for(let b=e.closest('.box');b;b=b.parentElement.closest('.box'))fold(b,false);all();
const r=e.getBoundingClientRect(),a=svg.getBoundingClientRect();
left+=a.left+a.width/2-r.left-r.width/2;top0+=a.top+a.height/2-r.top-r.height/2;show()}
let found=[],at=-1;
function pick(e){document.querySelectorAll('.current').forEach(c=>c.classList.remove('current'));e.classList.add('current');
details.textContent=e.querySelector('title').textContent;details.style.display='block'}
search.oninput=()=>{document.querySelectorAll('.found').forEach(e=>e.classList.remove('found'));
const t=search.value.toLowerCase();found=t?[...view.querySelectorAll('.node')].filter(
e=>e.querySelector('title').textContent.toLowerCase().includes(t)):[];at=-1;
found.forEach(e=>e.classList.add('found'));count.textContent=t?`${found.length} found`:''};
search.onkeydown=e=>{if(e.key!=='Enter'||!found.length)return;at=(at+(e.shiftKey?found.length-1:1))%found.length;
count.textContent=`${at+1} of ${found.length}`;pick(found[at]);centre(found[at])};
document.getElementById('fold').onclick=()=>{boxes().forEach(b=>fold(b,true));all()};
document.getElementById('unfold').onclick=()=>{boxes().forEach(b=>fold(b,false));all()};
function fit(){scale=1;left=0;top0=0;show();const r=view.getBoundingClientRect(),a=svg.getBoundingClientRect();
scale=Math.min(1,(a.width-40)/r.width);left=(a.width-r.width*scale)/2;top0=30;show()}
document.getElementById('fit').onclick=fit;
svg.addEventListener('wheel',e=>{e.preventDefault();const a=svg.getBoundingClientRect();
const f=Math.exp(-e.deltaY*0.0015),x=e.clientX-a.left,y=e.clientY-a.top;
scale*=f;left=x-(x-left)*f;top0=y-(y-top0)*f;show()},{passive:false});
let drag=null,moved=false;
svg.onpointerdown=e=>{drag=[e.clientX-left,e.clientY-top0,e.clientX,e.clientY];moved=false};
window.onpointermove=e=>{if(!drag)return;moved=moved||Math.hypot(e.clientX-drag[2],e.clientY-drag[3])>4;
if(moved){left=e.clientX-drag[0];top0=e.clientY-drag[1];show()}};
window.onpointerup=()=>{drag=null};
svg.onclick=e=>{if(moved)return;const h=e.target.closest('.head'),n=e.target.closest('.node'),v=e.target.closest('.value');
if(n)pick(n);else if(v){const m=v.dataset.to&&document.getElementById(v.dataset.to);if(m){pick(m);centre(m)}}
else if(h){const b=h.parentElement;fold(b,!b.classList.contains('folded'));all()}else details.style.display='none'};
if(boxes().length>60){boxes().forEach(b=>fold(b,true));all()}
fit();
)";

}  // namespace

std::string graph_html(const GraphText& graph, const std::string& title) {
  const std::string name = xml_escaped(title);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + name + "</title><style>" +
         kPageStyle + "</style></head>\n<body><div id=\"bar\"><b>" + name +
         "</b><input id=\"search\" placeholder=\"operator, name, type\"><span id=\"count\"></span>"
         "<button id=\"fold\">Collapse</button><button id=\"unfold\">Expand</button><button "
         "id=\"fit\">Fit</button></div>\n"
         "<div id=\"drawing\">" +
         graph_svg(graph) + "</div><pre id=\"details\"></pre>\n<script>" + kScript + "</script></body></html>\n";
}

}  // namespace coracle::cli
