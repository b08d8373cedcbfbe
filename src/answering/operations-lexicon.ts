/** Languages that the lexicon knows, in the order of its columns. */
export const LEXICON_LANGUAGES = ["de", "es", "fr", "pt", "zh"] as const;
export type LexiconLanguage = (typeof LEXICON_LANGUAGES)[number];

/**
 * Words of operations in five languages, as their speakers write them: an English gloss, then per language the stems that
 * mean it (`,` between them). A stem stands for its inflections. General vocabulary, not that of any collection.
 */
const ROWS = `
access | zugriff,zugang | acces,acceso,acceder | acces,acced | acess | 访问,权限
account | konto,konten,benutzerkonto | cuenta | compte | conta,contas | 账号,账户,帐号
alert | alarm,warnmeldung | alerta,alarma | alerte | alerta,alarme | 告警,报警,警报
all | alle,samtlich | todo,toda,todos,todas | tous,toutes | todos,todas | 全部,所有
answer respond | antwort,reagier | respond,respuesta | repond,repons | respond,resposta | 响应,应答,回复
application app | anwendung | aplicacion | application | aplicac,aplicativo | 应用,程序
approve | genehmig,freigab | aprob | approuv,valid | aprov | 批准,审批
attack | angriff,angegriff | ataque | attaqu | ataque | 攻击
audit | prufprotokoll | auditor | audit | auditor | 审计
authentication login | anmeld,einlogg,authentifizier | autentic,iniciar sesion,login,entrar | authentifi,connexion au compte,se connecter | autentic,login,entrar | 认证,登录,登陆,鉴权
available unavailable | verfugbar,nicht erreichbar,unerreichbar | disponib,indisponib,inaccesib | disponib,indisponib,injoignab,inaccessib | disponiv,indisponiv,inacessiv | 可用,不可用,无法访问,访问不了
backup | sicherung,datensicherung,backup | copia de seguridad,respaldo,copias de seguridad | sauvegard | copia de seguranca,backup | 备份
balance load balancer | lastverteil,load balancer | balanceador | repartiteur,equilibreur | balanceador | 负载均衡
bill invoice | rechnung | factura | factur | fatura | 账单,发票
block | blockier,gesperrt,sperr | bloque | bloqu | bloque | 阻塞,屏蔽,封禁,阻止,卡住
boot | hochfahr,bootet | arranque | demarrage | inicializacao | 开机
bottleneck | engpass | cuello de botella | goulot | gargalo | 瓶颈
break broken | kaputt,defekt,zerschoss | rota,roto,romp,estropead | cass,rompu,en panne | quebrad,quebrou | 坏了,挂了,崩了,损坏
browser | browser | navegador | navigateur | navegador | 浏览器
bucket storage | speicher,ablage | almacenamiento,bucket | stockage,seau | armazenamento,bucket | 存储,存储桶
build | bauen,gebaut | compil,construc | construi,compil | compil,constru | 构建,编译
cache | zwischenspeicher,cache | cache | cache | cache | 缓存
cancel | abbrech,stornier | cancel | annul | cancel | 取消
capacity | kapazitat,auslast | capacidad | capacit | capacidade | 容量
card | karte | tarjeta | carte | cartao,cartoes | 卡
cart basket | warenkorb | carrito,cesta | panier | carrinho,cesta | 购物车
certificate tls | zertifikat | certificad | certificat | certificad | 证书
change | ander,geandert,anderung,wechsel | cambi | chang,modifi | mudanc,alter,mudar | 修改,更改,变更,改变
check | pruf,uberpruf,nachseh,schauen | revis,comprob,verific | verifi,control | verific,checar,confer | 检查,查看,确认,核对
checkout | kasse,bezahlvorgang | finalizar compra,caja | caisse,passage en caisse | finalizac,caixa | 结账,下单
clean up | aufraum,bereinig,saubern | limpi | nettoy,purg | limp | 清理,清除
client | client,klient | cliente | client | cliente | 客户端
close | schliess,geschloss | cerr,cierr | ferm | fech | 关闭
cluster | cluster,verbund | cluster,cumulo | cluster,grappe | cluster | 集群
command | befehl,kommando | comando | commande | comando | 命令
compare | vergleich | compar | compar | compar | 比较,对比
complain | beschwer | quej | plaign,plaint | reclam | 抱怨,投诉
config configuration | konfig,einstell | config,ajuste | config,reglage,parametr | config,ajuste | 配置,设置
confirm | bestatig | confirm | confirm | confirm | 确认
connect connection | verbind,verbund | conect,conexi | connect,connexion | conect,conex | 连接,连不上,链接,连通
container | container | contenedor | conteneur | contener,container | 容器
contact call | anruf,kontakt,wen ruf,melde | contact,llam | contact,appel | contat,ligar,cham | 联系,打电话,找谁
copy | kopier,kopie | copi | copi | copi | 复制,拷贝
corrupt | beschadigt,korrupt | corrup,danad | corromp | corromp | 损坏,损毁
cost expensive | kosten,teuer | cost,caro | cout,cher | custo,caro | 费用,成本,贵
crash | absturz,sturz,abgesturzt | se cae,se caen,colaps | plant,crash,se ferme | caiu,travou,cai,trav | 崩溃,闪退,宕机
create | erstell,anleg,erzeug | cre,crear | cree,creer,creation | criar,cria,crio | 创建,新建
customer | kund | client | client | client | 客户,顾客
dashboard | dashboard | tablero,panel | tableau de bord | painel | 仪表盘,面板
data | daten | datos | donnee | dados | 数据
database | datenbank | base de datos,bases de datos | base de donnee,bases de donnee,bdd | banco de dados,bancos de dados,base de dados | 数据库
deadline expire expired | ablauf,abgelauf,lauft ab,verfall | caduc,expir,venc | expir,perim | expir,venc | 过期,到期,失效
delay lag | verzoger,verspat,hinterher,ruckstand | retras,demor,retardo | retard,decalage | atras,demor | 延迟,滞后,落后
delete | losch,gelosch,entfern | borr,elimin,supr | supprim,effac | apag,exclu,delet,remov | 删除,移除
deliver | zustell,liefer | entreg | livr | entreg | 投递,送达
deploy deployment release | ausroll,deploy,release,auslieferung | despli,despleg,lanzamiento | deploi,mise en production,livraison | implant,deploy,lancamento | 部署,发布,上线
device | gerat | dispositiv | appareil,peripherique | dispositiv | 设备
different | anders,unterschied | difer,distint | differ | difer | 不同,不一样
disable | deaktivier,abschalt,ausschalt | desactiv,deshabilit | desactiv | desativ,desabilit | 禁用,停用
disk | festplatte,platte,datentrager | disco | disque | disco | 磁盘,硬盘
disappear missing lost | verschwund,fehlt,fehlen,verlor,weg | desaparec,falta,perdid,perdi | disparu,manqu,perdu | sumiu,desaparec,falta,perd | 丢失,消失,不见,缺失,没了
dns domain | domane,namensauflos | dominio | domaine | dominio | 域名,解析
drain | leeren,entleer,drain | vaciar,drenar | vider,drainer | esvaziar,drenar | 排空,驱逐
duplicate twice | doppelt,duplikat,zweimal | duplicad,dos veces | double,doublon,deux fois | duplicad,duas vezes | 重复,两次
email mail | mail,postfach | correo,mail | courriel,mail,messagerie | email,correio | 邮件,邮箱
empty | leer | vaci | vide | vazi | 空的,为空
encrypt | verschlussel | cifr,encript | chiffr | criptograf,cifr | 加密
endpoint | endpunkt | punto de acceso,endpoint | point de terminaison,endpoint | endpoint | 端点,接口
enable | aktivier,einschalt | activ,habilit | activ | ativ,habilit | 启用,开启
error | fehler | error,fallo | erreur | erro | 错误,报错,出错
escalate | eskalier | escal | escalad | escal | 升级处理,上报
evict | verdrang,evict | desaloj,expuls | evinc,expuls | despej,expuls | 驱逐,踢出
exceed | uberschreit,uberschritt | exced,super | depass | exced,ultrapass | 超过,超出
export | export | export | export | export | 导出
fail failure | fehlschlag,schlagt,gescheitert,scheiter,ausfall,ausgefall | fall | echou,echec,defaill | falh | 失败,故障
fast | schnell | rapid | rapid,vite | rapid | 快
file | datei | archivo,fichero | fichier | arquivo | 文件
find | finden,gefund,suche | encontr,busc | trouv,cherch | encontr,ach,procur | 找到,查找,搜索
firewall | firewall,brandmauer | cortafuegos,firewall | pare-feu,parefeu | firewall | 防火墙
fix repair | behoben,behebe,beheben,reparier | arregl,repar,soluc | repar,corrig,resoud | consert,corrig,arrum,resolv | 修复,修理,解决
flood too many | flut,zu viele,uberflut | demasiad,inund | trop de,inond | muitos,inund,excesso | 太多,大量,泛滥
forbidden denied permission | verboten,verweiger,abgelehnt,berechtig | prohibid,deneg,permiso | interdit,refus,autorisation,droit | proibid,negad,permiss | 禁止,拒绝,无权限,没有权限
free space | platz,frei | espacio,libre | espace,place,libre | espaco,livre | 空间
full | voll | llen | plein,sature,satur | chei,lotad | 满了,已满,写满,爆满
gateway | gateway | puerta de enlace,pasarela | passerelle | gateway | 网关
grant | gewahr,erteil | conced,otorg | accord,octroi | conced | 授权,授予
group | gruppe | grupo | groupe | grupo | 组
growing | wachs,steigt,ansteig | crec,aument,sub | augment,grandi,mont | cresc,aument,sub | 增长,上升,飙升,增加
hang stuck | hangt,hangen,festgefahren,steckt | colgad,atascad,atorad | bloqu,coince,fige | travad,preso,pendurad | 卡住,挂起,卡死
health | gesundheit,health | salud | sante | saude | 健康
high | hoch,hohe | alt | eleve,haut | alt | 高
host machine | rechner,maschine,host | maquina,equipo,host | machine,hote | maquina,host | 主机,机器
image | abbild,image | imagen | image | imagem | 镜像
incident outage | vorfall,storung,stoerung,ausfall | incident,caida,interrupcion | incident,panne,coupure | incident,queda,interrupc | 事故,故障,中断,事件
index | index | indice | index | indice | 索引
ingest | einlesen,aufnahme | ingest | ingest | ingest | 摄取,采集
install | installier | instal | install | instal | 安装
internal | intern | intern | intern | intern | 内部
issue problem | problem | problema | probleme,souci | problema | 问题
job task | auftrag,job,aufgabe | trabajo,tarea | tache,travail | tarefa,trabalho,job | 任务,作业
key | schlussel | clave,llave | cle,clef | chave | 密钥,秘钥
kill | abgeschoss,getotet,kill,beend | mata,matar,kill | tue,tuer,kill | mat,kill,encerr | 杀死,杀掉,被杀
latency slow | langsam,trage,latenz,lahm | lent,latenci | lent,latence,rame | lent,latenci,devagar | 慢,延迟,缓慢,卡顿
leader | leader,anfuhrer,fuhrungs | lider | leader,chef | lider | 领导者,主节点,leader
leak leaked | leck,durchgesicker,geleakt,veroffentlicht | fug,filtr,expuest | fuit,divulgu,expose | vaz,expost | 泄露,泄漏,暴露
library | bibliothek | bibliotec,libreri | bibliothequ | bibliotec | 库
limit quota | grenz,limit,kontingent,quot | limit,cuota | limit,quota | limit,cota | 限制,配额,上限
list | liste,auflist | list | list | list | 列表,列出
load | last,lade | carg | charg | carg | 负载,加载
lock | sperre,lock | bloqueo,candado | verrou | bloqueio,trava | 锁
log | protokoll,log | registro,log | journal,log | log,registro | 日志
loop | schleife | bucle,ciclo | boucle | loop,laco | 循环
maintenance | wartung | mantenimiento | maintenance | manutenc | 维护
malware virus | schadsoftware,virus | malware,virus | maliciel,virus | malware,virus | 病毒,木马,恶意软件
manual | manuell,von hand | manual,a mano | manuel,a la main | manual,na mao | 手动,手工
master primary | primar,haupt | primari,maestro,principal | primaire,maitre,principal | primari,mestre,principal | 主库,主节点,主
member | mitglied | miembro | membre | membro | 成员
memory | arbeitsspeicher,speicher,ram | memoria | memoire | memoria | 内存
merge | zusammenfuhr,merge | fusion | fusion | mescl,merge | 合并
message | nachricht,meldung | mensaje | message | mensag | 消息
metric | metrik,messwert | metrica | metrique | metrica | 指标
migrate migration | migrier,migration,umzug,umzieh | migr | migr | migr | 迁移
mirror replica | replik,replikat | replica | replica,replique | replica | 副本,从库,复制
monitor monitoring | uberwach,monitoring | monitor,monitoriz,vigil | surveill,supervis | monitor | 监控
mount | einhang,mount | mont | mont | mont | 挂载
move | verschieb,umzieh | mover,mueve,traslad | deplac | mover,transfer | 移动
network | netz,netzwerk | red,redes | reseau | rede | 网络
new | neu | nuev | nouve | novo,nova | 新的
node | knoten | nodo | noeud | node | 节点
notification notify | benachrichtig | notific | notif | notific | 通知
number count | anzahl,zahl | numer,cantidad | nombre,compte | numer,quantidade | 数量,数目
offline down | ausgefallen,down,offline,nicht erreichbar,tot | caid,cae,cayo,fuera de servicio,muert | tombe,hors ligne,hors service,mort | fora do ar,caiu,offline,mort | 下线,宕机,挂掉,挂了,掉线
old stale | alt,veraltet | viej,antigu,obsolet | vieux,ancien,perime,obsolet | velh,antig,desatualiz | 旧,陈旧,过时
on-call | bereitschaft,rufbereitschaft | guardia | astreinte,garde | plantao,sobreaviso | 值班
open | offnen,offen | abrir,abiert | ouvr,ouvert | abr,abert | 打开
operator | operator,betreiber | operador | operateur | operador | 运维,操作员
order | bestell | pedido,orden | commande | pedido | 订单
overload | uberlast | sobrecarg | surcharg | sobrecarg | 过载,超载
owner | besitzer,eigentumer,zustandig | propietari,duen,responsable | proprietaire,responsable | dono,proprietari,responsavel | 所有者,负责人
page | seite | pagina | page | pagina | 页面,网页
panic | panik | panico | panique | panico | 恐慌
password | passwort,kennwort | contrasen | mot de passe,mots de passe | senha | 密码
patch update upgrade | aktualisier,update,upgrade | actualiz,parche | mise a jour,mettre a jour,correctif | atualiz | 更新,升级,补丁
pay payment | zahl,bezahl | pago,pagar,pag | paie,paye | pagament,pagar | 支付,付款
performance | leistung,performance | rendimiento | performance | desempenho | 性能
pipeline | pipeline | pipeline,canaliz | pipeline,chaine | pipeline,esteira | 流水线,管道
pod | pod | pod | pod | pod | 容器组
port | port,anschluss | puerto | port | porta | 端口
power | strom | energia,corriente | courant,electri | energia | 电源,断电
pressure | druck | presion | pression | pressao | 压力
process | prozess | proceso | processus | processo | 进程
production | produktion,produktiv | produccion | production | producao | 生产,线上
provision | bereitstell | aprovision | provision | provision | 供应
publish | veroffentlich | public | publi | public | 发布
pull fetch | abhol,ziehen,pull | descarg,traer | recuper,telecharg | baix,puxar | 拉取,下载
query | abfrage,anfrage | consulta | requet | consulta | 查询
queue backlog | warteschlang,stau | cola | file d'attente,file | fila | 队列,积压,堆积
quorum | quorum,mehrheit | quorum,mayoria | quorum,majorite | quorum,maioria | 仲裁,多数派
ransom ransomware | erpress,losegeld | rescate,ransomware | rancon | resgate,ransomware | 勒索
rate | rate | tasa | taux | taxa | 速率,频率
read-only | schreibgeschutzt,nur lesen | solo lectura | lecture seule | somente leitura | 只读
reboot restart | neustart,neu start,neugestart | reinici | redemarr | reinici | 重启,重新启动
receive | erhalt,empfang,bekomm | recib | recoi,recev | receb | 接收,收到
reconcile | abgleich | concili,reconcil | rapproch,reconcil | reconcil | 对账,协调
recover restore | wiederherstell | recuper,restaur | restaur,retabli | recuper,restaur | 恢复,还原
redirect | umleit,weiterleit | redirig,redirec | redirig,redirec | redirecion | 重定向,跳转
refund | erstatt,ruckzahl | reembols | rembours | reembols | 退款
refuse refused reject | abgelehnt,verweiger,abgewies | rechaz,rehus | refus,rejet | recus,rejeit | 拒绝
region | region | region | region | regiao | 区域,地区
registry | registry,verzeichnis | registro | registre | registro | 仓库,注册表
release | freigeb | liber | liber | liber | 释放
remove | entfern,herausnehm | quit,elimin,retir | retir,enlev | remov,retir,tir | 移除,去掉
replace | ersetz,austausch | reemplaz,sustitu,cambiar | remplac | substitu,troc | 替换,更换
report | bericht,gemeldet,meld | inform,report | rapport,signal | relator,report | 报告,上报
request | anfrage,anforder | peticion,solicit | requet,demand | requisic,pedid,solicit | 请求
resize scale | skalier,vergrosser | escal,redimension | mise a l'echelle,redimension,agrandi | escal,redimension | 扩容,缩容,伸缩,扩展
resource | ressource | recurso | ressource | recurso | 资源
retry | wiederhol,erneut | reintent | reessa,nouvelle tentative | tentar de novo,retent | 重试
revert rollback roll back | zuruckroll,ruckgangig,zurucksetz,rollback | revert,deshacer,volver atras | revenir,annul,retour arriere | revert,desfaz,voltar | 回滚,回退,撤销
rotate | rotier,austausch,erneuer | rotar,rotacion,renov | rotation,renouvel,tourn | rotac,renov,trocar | 轮换,更换
route | route,weiterleit | ruta,enrut | rout | rota,rote | 路由
rule | regel | regla | regle | regra | 规则
run | lauft,laufen,ausfuhr | ejecut,corre | execut,tourn,lance | execut,rod | 运行,执行
save | speichern | guard | enregistr | salv | 保存
scan | scan,durchsuch | escane,analiz | analys,scann | varredur,escane | 扫描
schedule | planen,geplant,zeitplan | program,planific | planifi,program | agend | 调度,计划,定时
schema | schema | esquema | schema | esquema | 模式,表结构
search | suche | busqueda,busc | recherch | busca,pesquis | 搜索,检索
secret | geheimnis,secret | secret | secret | segredo,secret | 密钥,机密
security | sicherheit | seguridad | securit | seguranca | 安全
send | send,schick,verschick | envi,mand | envo | envi,mand | 发送
server | server | servidor | serveur | servidor | 服务器
service | dienst,service | servicio | service | servico | 服务
session | sitzung | sesion | session | sessao | 会话
shard | shard | fragment,particion | partition,fragment | fragment,particao | 分片
shop store | laden,shop | tienda | boutique,magasin | loja | 商店,店铺
shut down stop | herunterfahr,stopp,anhalt,gestoppt | apag,detener,detuv | arret,stopp,eteind | deslig | 停止,关机,停掉
site website | website,webseite,seite | sitio,web | site | site | 网站,站点
size | grosse | taman | taille | tamanho | 大小
snapshot | schnappschuss,snapshot | instantane,snapshot | instantane,cliche | instantane,snapshot | 快照
source | quelle | fuente,origen | source | fonte,origem | 来源,源
split | aufteil,spalt | divid,separ | divis,separ,scind | divid,separ | 拆分,分裂
spam phishing | spam,phishing | spam,phishing,suplant | spam,hameconn,pourriel | spam,phishing | 垃圾邮件,钓鱼
start | start,starten | arranc,inici | demarr,lanc | inici,arranc,subir | 启动,开始
state status | status,zustand | estado | etat,statut | estado,status | 状态
stolen steal | gestohl,geklaut,stehl | robad,robo | vole,vol | roubad,roubo | 被盗,偷
subscription | abo,abonnement | suscrip | abonnement | assinatur | 订阅
support | unterstutz,support | soporte | support,assistance | suporte | 支持
suspicious | verdacht | sospech | suspect,louche | suspeit | 可疑
switch failover | umschalt,schwenk,failover | conmut,failover | bascul | altern,failover,troca | 切换,故障转移
sync | synchron,abgleich | sincron | synchron | sincron | 同步
table | tabelle | tabla | table | tabela | 表
target | ziel | objetiv,destino | cible | alvo,destino | 目标
team | team,mannschaft | equipo | equipe | equipe,time | 团队
tenant | mandant | inquilin | locataire | inquilin,locatari | 租户
test | test | prueb,test | test,essai | test | 测试
throttle | drossel | limit,estrangul | brid,limit | limit,estrangul | 限流
ticket | ticket,vorgang | ticket,incidencia | ticket | chamado,ticket | 工单
time clock | uhr,zeit | hora,reloj,tiempo | heure,horloge,temps | hora,relogio,tempo | 时间,时钟
timeout | zeituberschreit,timeout | tiempo de espera,timeout | delai d'attente,delai depass,timeout | tempo esgotado,tempo limite,timeout | 超时
token | token | token,ficha | jeton | token | 令牌
traffic | verkehr,traffic | trafic | trafic | trafego | 流量
transaction | transaktion | transaccion | transaction | transac | 事务,交易
unknown | unbekannt | desconocid | inconnu | desconhecid | 未知
unauthorised | unbefugt,unberechtigt | no autorizad | non autoris | nao autorizad | 未授权
upload | hochlad | subir,carga | televers,envoyer | envi,carreg,upload | 上传
usage | auslast,verbrauch,nutzung | uso,consum | utilisation,consomm | uso,consum | 使用率,占用,用量
user | benutzer,nutzer,anwender | usuari | utilisateur | usuari | 用户
version | version | version | version | versao | 版本
virtual machine vm | virtuelle maschin,vm | maquina virtual,maquinas virtuales,vm | machine virtuelle,machines virtuelles,vm | maquina virtual,maquinas virtuais,vm | 虚拟机
volume | volume,laufwerk | volumen | volume | volume | 卷,存储卷
vulnerability | schwachstelle,sicherheitslucke | vulnerab | vulnerab,faille | vulnerab | 漏洞
wait | wart | esper | attend,attent | esper | 等待
warning | warnung | advertenc,aviso | avertiss | aviso | 警告
web | web | web | web | web | 网页
worker | worker,arbeiter | trabajador,worker | worker,travailleur | trabalhador,worker | 工作节点,工作进程
write | schreib | escrib,escrit | ecri | escrev,gravar,escrit | 写入,写
wrong | falsch | incorrect,equivocad | mauvais,faux,errone | errad,incorret | 不对,不正确
address | adresse | direccion | adresse | endereco | 地址
administrator | administrator | administrador | administrat | administrador | 管理员
agent | agent | agente | agent | agente | 代理
annotation label | beschrift,label,etikett | etiquet,anotacion | etiquett,annotation | rotul,etiquet,anotac | 标签,注解
archive | archiv | archiv | archiv | arquivamento | 归档
ask request | fragen,gefragt | preguntar,pedir,pide | demander | perguntar,pedir | 询问,请求
assign | zuweis,zugewies | asign | attribu,assign | atribu | 分配
attach detach | anhang,abhang | adjunt,acopl,desacopl | attach,detach | anex,acopl | 附加,分离
automatic | automatisch | automatic | automati | automatic | 自动
avoid prevent | vermeid,verhinder | evit,impedir | evit,empech | evit,impedir | 避免,防止
begin start | anfang,beginn | empez,comenz,comienz | commenc,debut | comec | 开始,从哪里
branch | zweig,branch | rama | branche | ramo,branch | 分支
budget | budget | presupuesto | budget | orcamento | 预算
burn rate | verbrauchsrate | tasa de consumo | taux de consommation | taxa de consumo | 消耗
cable | kabel | cable | cable | cabo | 电缆,网线
code | code | codigo | code | codigo | 代码
commit | commit | confirmacion,commit | commit | commit | 提交
consumer | verbraucher,konsument | consumidor | consommat | consumidor | 消费者
controller | steuerung,controller | controlador | controleur | controlador | 控制器
core | kern | nucleo | coeur | nucleo | 核心
cpu processor | prozessor | procesador | processeur | processador | 处理器
decide | entscheid | decid | decid | decid | 决定
dependency | abhangig | dependenc | dependan | dependenc | 依赖
directory folder | verzeichnis,ordner | carpeta,directorio | dossier,repertoire | pasta,diretorio | 目录,文件夹
document | dokument | documento | document | documento | 文档
download | herunterlad,download | descarg,bajar | telecharg | baix,download | 下载
driver | treiber | controlador,driver | pilote | driver | 驱动
enlarge grow | vergrosser,erweiter | ampli,agrand,extend | agrand,etend,elarg | ampli,aument,expand | 扩大,扩展
environment | umgebung | entorno,ambiente | environnement | ambiente | 环境
event | ereignis | evento | evenement | evento | 事件
force | erzwing,zwing | forz,fuerza | forc | forc | 强制
happen | passier,gescheh | ocurr,suced,pasa | arrive,passe | acontec,ocorr | 发生
history | verlauf,historie | histori | histori | histori | 历史
ignore | ignorier | ignor | ignor | ignor | 忽略
import | import | import | import | import | 导入
increase | erhoh,vergrosser | aument,increment | augment | aument,increment | 提高,增大
inform tell | informier,sagen,mitteil | avis,inform,decir | prevenir,inform | avis,inform | 通知,告知
interface network card | schnittstelle,netzwerkkarte | interfaz,tarjeta de red | interface,carte reseau | interface,placa de rede | 网卡
investigate | untersuch | investig | enquet,investig,examin | investig | 调查,排查
isolate | isolier | aisl | isol | isol | 隔离
legal | rechtlich | legal | juridi,legal | legal,juridic | 法律
machine learning notebook | notebook | cuaderno,notebook | carnet,notebook | caderno,notebook | 笔记本
mark | markier | marc | marqu | marc | 标记
measure | mess,gemess | medir,medid | mesur | medi | 测量
minute | minute | minuto | minute | minuto | 分钟
module | modul | modulo | module | modulo | 模块
name | name | nombre | nom | nome | 名称,名字
object | objekt | objeto | objet | objeto | 对象
organisation | organisation | organizacion | organisation | organizac | 组织,机构
overwrite | uberschreib | sobrescri | ecras | sobrescrev | 覆盖
package | paket | paquete | paquet,colis | pacote | 包
pause | pausier,anhalt | paus,detener | suspend,pause | paus | 暂停
pending | ausstehend,wartend | pendiente | en attente | pendente | 待处理,等待中
plan | plan | plan | plan | plano | 计划
prefix | prafix | prefijo | prefixe | prefixo | 前缀
project | projekt | proyecto | projet | projeto | 项目
proxy | proxy | proxy | mandataire,proxy | proxy | 代理服务器
public | offentlich | public | public | public | 公开
read | lesen,gelesen,liest | leer,lee,lectura | lire,lit,lecture | ler,leitura | 读取,读
record | aufzeichn,eintrag | registr,entrada | enregistrement,entree | registro,entrada | 记录
reduce | verringer,reduzier | reduc,bajar | reduir,diminu | reduz,diminu | 减少,降低
reinstall | neu installier | reinstal | reinstall | reinstal | 重装
repository repo | repository,depot | repositorio | depot | repositorio | 仓库,代码库
reset | zurucksetz | restablec,reinic | reinitialis | redefin,resetar | 重置
retention | aufbewahr | retencion | retention,conservation | retenc | 保留
return | zuruckgeb,ruckgabe,zuruck | devolv,devuel,vuelv | rend,retour,renvoi | devolv,devoluc,volt | 退回,返回
role | rolle | rol | role | papel,funcao | 角色
root cause | ursache | causa | cause | causa | 原因,根因
script | skript | script,guion | script | script | 脚本
select choose | auswahl,wahlen | eleg,seleccion | chois,selection | escolh,selecion | 选择
severity | schweregrad | gravedad,severidad | gravit,severit | gravidade,severidade | 严重程度,级别
silence mute | stummschalt | silenci | silenc,mettre en sourdine | silenci | 静默,屏蔽
stage | stufe,phase | etapa,fase | etape,phase | etapa,fase | 阶段
statement communication | mitteilung,kommunikation | comunic | communi | comunic | 沟通,公告
stream | strom,stream | flujo | flux | fluxo | 流
subnet | subnetz | subred | sous-reseau | subrede | 子网
suspend | aussetz,suspend | suspend | suspend | suspend | 挂起
temporary | temporar,vorubergehend | temporal | temporaire,provisoire | temporari | 临时
terminate | beend | termin | termin | termin,encerr | 终止
threshold | schwell | umbral | seuil | limiar,limite | 阈值
transfer | ubertrag | transfer | transf | transfer | 传输,转移
trigger fire | ausgelost,auslos,feuert | dispar,salta | declench,sonne | dispar | 触发
tunnel | tunnel | tunel | tunnel | tunel | 隧道
unexpected | unerwartet | inesperad | inattendu | inesperad | 意外
urgent | dringend,eilig | urgent | urgen | urgent | 紧急
validate | validier | valid | valid | valid | 验证,校验
value | wert | valor | valeur | valor | 值
verify | verifizier | verific | verifi | verific | 验证
wake | weck | despert | reveill | acord | 叫醒,唤醒
workload | workload,arbeitslast | carga de trabajo | charge de travail | carga de trabalho | 工作负载
zone | zone | zona | zone | zona | 可用区
`;

/** Stems of one language with all their English glosses, longest first, so that a phrase wins over its words. */
export function readLexicon(language: LexiconLanguage): readonly { readonly stem: string; readonly gloss: string }[] {
  const column = 1 + LEXICON_LANGUAGES.indexOf(language);
  const glosses = new Map<string, string>();
  for (const row of ROWS.trim().split("\n")) {
    const cells = row.split("|").map((cell) => cell.trim());
    for (const stem of cells[column]?.split(",") ?? []) {
      if (stem !== "") glosses.set(stem, [glosses.get(stem) ?? "", cells[0] ?? ""].join(" ").trim());
    }
  }
  return [...glosses]
    .map(([stem, gloss]) => ({ stem, gloss }))
    .toSorted((left, right) => right.stem.length - left.stem.length);
}
